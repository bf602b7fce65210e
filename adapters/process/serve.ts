import { hash } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { createLastCalls } from '../../src/keys/near-sunset.ts';
import type { Log, Meter } from '../../src/ports.ts';
import { buildId } from '../../src/runtime/build.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { type Config, version } from '../../src/runtime/config.ts';
import { siteFolder } from '../../src/runtime/folders.ts';
import type { Form } from '../forms/form.ts';
import { forms } from '../forms/forms.ts';
import { createApp, type ReferenceHandler } from '../http/app.ts';
import { createLogLimit } from '../http/request-log.ts';
import { createHttpServer } from '../http/server.ts';
import { createReference } from '../reference/handler.ts';
import { readSite } from '../reference/site-files.ts';
import { openLog } from '../telemetry/log.ts';
import { createMetrics, type Metrics } from '../telemetry/metrics.ts';
import { createOperationsServer } from '../telemetry/operations-server.ts';
import { composeGateway, type OpenGateway, startRefreshing } from './compose.ts';
import { observe } from './observe.ts';
import { exitOnUncaughtException, type ShutdownSteps, shutdownOnSignal } from './shutdown.ts';

/**
 * A host for a URL: an IPv6 address in brackets and without its zone, and the loopback address for
 * "every address".
 */
const hostInUrl = (host: string): string => {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host.replace(/%.*/, '')}]` : host;
};

/**
 * Listens, and returns the base URL. Rejects with one line that names the setting: `HOST`, `PORT`
 * or the settings of the operations server.
 */
const listen = async (
  server: Server,
  prefix: string,
  host: string,
  port: number,
  log: Log,
): Promise<string> => {
  server.listen(port, host);
  await once(server, 'listening').catch((cause: NodeJS.ErrnoException) => {
    const problems: Readonly<Record<string, string>> = {
      EADDRINUSE: `${prefix}PORT is ${port}: another program listens there on ${host}. Set ${prefix}PORT to a free port`,
      EACCES: `${prefix}PORT is ${port}: this user may not listen there. Set ${prefix}PORT to one of 1024 or more`,
    };
    const other = `${prefix}HOST is ${host}: it is not an address of this machine`;
    throw new Error(`${problems[String(cause.code)] ?? other} (${cause.code}).`, { cause });
  });
  // The system may repeatedly fail to accept a connection, for example without memory. Without a
  // listener, that would end the process.
  const mayLog = createLogLimit(systemClock());
  server.on('error', (err) => {
    if (mayLog()) log.warn({ err }, 'connection not accepted');
  });
  const address = server.address();
  return `http://${hostInUrl(host)}:${typeof address === 'object' ? address?.port : port}`;
};

/** The routes of a form, and every status that its responses may have. */
const knownOf = ({ name, routes, problems, conditional }: Form) => ({
  name,
  routes: routes.map(({ path }) => path),
  statuses: [
    ...new Set([
      200,
      ...(conditional ? [304] : []),
      ...Object.values(problems).flatMap(({ status, text }) =>
        text === undefined ? [] : [status],
      ),
    ]),
  ],
});

/** How long the last terminal line waits for the log's lines, in milliseconds. */
const maxFlushMs = 1_000;

/**
 * Listens for partners. Fills in the pages once the port is known, because they print the address.
 */
const listenForPartners = async (
  { host, port, keepAliveMs, publicUrl, supportContact, sandboxUrl, unknownKeyForm }: Config,
  { gateway, sources }: OpenGateway,
  { meter }: Metrics,
) => {
  const files = readSite(siteFolder);
  let reference: ReferenceHandler | undefined;
  const app = createApp(gateway, forms, (context) => reference?.(context));
  const front = createHttpServer(app.callback(), {
    form: forms[0],
    keepAliveMs,
    clock: systemClock(),
    log: gateway.log,
    meter,
  });
  const url = await listen(front.server, '', host, port, gateway.log);
  const baseUrl = publicUrl ?? url;
  reference = createReference(forms, files, {
    baseUrl,
    supportContact,
    sandboxUrl: sandboxUrl ?? (sources.demoFaults?.size ? baseUrl : undefined),
    unknownKeyForm,
  });
  return { front, url };
};

/**
 * Runs a gateway until SIGTERM or SIGINT: opens the stores, assembles the gateway, listens, and
 * shuts down in order. Resolves after the first load of the catalogue, even if it failed. Rejects
 * with one line if it cannot start.
 */
export const serve = async (config: Config): Promise<void> => {
  const log = await openLog(config.logLevel);
  const ending = { log, flush: log.flush, exit: (code: number) => process.exit(code) };
  exitOnUncaughtException(ending);
  let steps: ShutdownSteps | undefined;
  shutdownOnSignal(() => steps, { graceMs: config.shutdownGraceMs, ...ending });
  process.once('exit', () => void log.flush(0)); // the last lines if startup fails

  const fingerprint = hash('sha256', JSON.stringify(config.responseSettings)).slice(0, 8);
  const metrics = createMetrics(version, buildId, forms.map(knownOf), fingerprint);
  const lastCalls = createLastCalls();
  const meter: Meter = {
    ...metrics.meter,
    request(outcome) {
      if (outcome.key !== undefined) lastCalls.note(outcome.key, systemClock().now());
      metrics.meter.request(outcome);
    },
  };
  const opened = await composeGateway(config, log, meter);
  let isStopping = false;
  const readiness = observe(opened, metrics, log, lastCalls, () => isStopping);
  const { front, url } = await listenForPartners(config, opened, metrics);
  const { operationsHost, operationsPort } = config;
  const server = createOperationsServer(readiness, metrics, log);
  const operations =
    operationsPort === 0
      ? undefined
      : await listen(server, 'OPERATIONS_', operationsHost, operationsPort, log);
  log.info(
    { url, operations, version, build: buildId, settings: fingerprint, state: config.stateFolder },
    'listening',
  );
  if (config.sandbox !== undefined) process.stderr.write(`${config.sandbox}\n`);
  const banner = await opened.sources.startupBanner(url);
  if (banner !== '') process.stderr.write(`${banner}\n`);

  steps = {
    drain() {
      isStopping = true;
      front.beginDrain();
      void opened.usage?.flush(); // so that little is left to write at the end
    },
    close: () => front.close(),
    closeConnections: () => front.closeConnections(),
    async finishWrites() {
      await opened.usage?.close();
    },
    async releaseStores() {
      readiness.stop();
      await opened.close();
    },
  };
  await startRefreshing(opened);
  if (!process.stderr.isTTY) return;
  await log.flush(maxFlushMs);
  // After the startup lines, where a person looks for it.
  process.stderr.write(`Open ${url}/docs\n`);
};
