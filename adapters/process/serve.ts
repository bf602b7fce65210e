import type { Server } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { assembleGateway, type Gateway } from '../../src/gateway.ts';
import type { Log, Meter } from '../../src/ports.ts';
import { quotaCheck } from '../../src/quota/health-check.ts';
import { fixedClock, systemClock } from '../../src/runtime/clock.ts';
import { type Config, docsFolder, examplesFolder, exchangesFolder, version } from '../../src/runtime/config.ts';
import {
  createHealthChecks,
  followerCheck,
  type HealthCheck,
  type HealthChecks,
} from '../../src/runtime/health-checks.ts';
import { createUsageRecorder, type UsageRecorder } from '../../src/usage/recorder.ts';
import type { Shadow } from '../compare/shadow/shadow.ts';
import { formNames, forms } from '../forms/forms.ts';
import { createApp } from '../http/app.ts';
import { createHttpServer, type HttpServer } from '../http/server.ts';
import { createReference, type Reference } from '../reference/handler.ts';
import { openQuotas, openSources, type Sources } from '../stores/open-stores.ts';
import { type GatewayLog, openLog } from '../telemetry/log.ts';
import { createMetrics, type Metrics } from '../telemetry/metrics.ts';
import { createOperationsServer } from '../telemetry/operations-server.ts';
import { listen } from './listen.ts';
import { exitOnUncaughtException, shutdownOnSignal } from './shutdown.ts';

/** The composition root: opens the stores, assembles the gateway, listens, and shuts down in order. */

interface OpenGateway {
  readonly gateway: Gateway;
  readonly sources: Sources;
  readonly usage: UsageRecorder | undefined;
  close(): Promise<void>;
}

/** Opens the stores that the configuration names, whether or not they are reachable. */
const openGateway = async (config: Config, log: Log, meter: Meter): Promise<OpenGateway> => {
  const clock = config.fixedNow === undefined ? systemClock() : fixedClock(config.fixedNow);
  const sources = await openSources(config, { clock, log, formNames });
  const quotas = await openQuotas(config, clock, log);
  const usage = sources.usage && createUsageRecorder(sources.usage, config.usageFlushMs, log);
  const gateway = assembleGateway({ ...sources, quotas, usage, clock, log, meter, settings: config, version });
  const { keys, catalogue } = gateway;
  if (sources.requiredAtStart) {
    await keys.refresh();
    await catalogue.refresh();
  }
  if (!(await keys.recall())) await sources.open(); // without a copy of the keys nobody is served before they are loaded
  return {
    gateway,
    sources,
    usage,
    async close() {
      keys.stop();
      catalogue.stop();
      await Promise.all([usage?.close(), sources.closeCopies()]);
      await Promise.all([sources.close(), quotas.close()]);
    },
  };
};

/** Milliseconds in which requests are answered from the copies before the driver of the database is loaded, in one step of 100 ms. */
const copiesFirstMs = 100;

/**
 * Follows keys and catalogue: first from the copies, then from the stores. Resolves when the first load of the catalogue has
 * ended, whether or not it succeeded. Rejects with one line when the URL of the database is not usable.
 */
const follow = async ({ gateway: { keys, catalogue }, sources }: OpenGateway): Promise<void> => {
  if (await catalogue.recall()) await wait(copiesFirstMs);
  await sources.open();
  void keys.start();
  await catalogue.start();
};

/** The checks behind `/ready`, which load balancers poll. */
const healthChecksOf = (gateway: Gateway, isStopping: () => boolean): HealthCheck[] => [
  followerCheck('keys', gateway.keys, ({ missing }) => missing),
  followerCheck('catalogue', gateway.catalogue, ({ snapshot }) =>
    snapshot.listed.length === 0 ? 'there is no artist' : undefined,
  ),
  quotaCheck(gateway.quotas, gateway.clock, gateway.settings.storeTimeoutMs),
  { name: 'process', isPlanned: true, check: () => (isStopping() ? 'stopping' : undefined) },
];

/** Registers the values that the metrics read at every scrape. */
const observe = (
  metrics: Metrics,
  { gateway: { keys, catalogue }, usage, sources: { copies } }: OpenGateway,
  readiness: HealthChecks,
  log: GatewayLog,
): void => {
  metrics.watchProcess();
  metrics.watch({
    sources: {
      keys: {
        age: keys.age,
        size: () => keys.value()?.issued.size ?? 0,
        faults: () => keys.value()?.faults.length ?? 0,
        copy: copies?.keys,
      },
      catalogue: {
        age: catalogue.age,
        size: () => catalogue.value()?.snapshot.listed.length ?? 0,
        faults: () => catalogue.value()?.snapshot.faults.length ?? 0,
        copy: copies?.catalogue,
      },
    },
    readyParts: () => readiness.last().parts,
    droppedLogLines: log.droppedLines,
    usage,
  });
};

/** Compares a share of the answers with the other form; `undefined` with a share of 0, and then nothing of it is loaded. */
const startShadow = async (
  { shadowShare: share }: Config,
  { gateway: { clock }, usage }: OpenGateway,
  metrics: Metrics,
  log: Log,
): Promise<Shadow | undefined> => {
  if (share === 0) return undefined;
  const { openShadow } = await import('../compare/shadow/shadow.ts');
  return openShadow({ share, forms, clock, log, meter: metrics.addShadow(), usage });
};

const close = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()));

interface Listeners {
  readonly front: HttpServer;
  readonly url: string;
  readonly operationsUrl: string | undefined;
  readonly reference: Reference;
}

/** Listens for partners, and for the operator unless `OPERATIONS_PORT` is 0. */
const listenOnBoth = async (
  config: Config,
  { gateway }: OpenGateway,
  log: GatewayLog,
  readiness: HealthChecks,
  metrics: Metrics,
  shadow: Shadow | undefined,
): Promise<Listeners> => {
  const { host, port, publicUrl, supportContact, operations } = config;
  let reference: Reference | undefined; // until the port is known
  const app = createApp(gateway, forms, (context) => reference?.handle(context), shadow?.observe);
  const { meter } = metrics;
  const front = createHttpServer(app.callback(), { form: forms[0], clock: systemClock(), log, meter });
  const url = await listen(front.server, '', host, port);
  const folders = { exchangesFolder, docsFolder, examplesFolder };
  reference = createReference(forms, { baseUrl: publicUrl ?? url, supportContact, ...folders });
  if (operations.port === 0) return { front, url, operationsUrl: undefined, reference };
  const server = createOperationsServer({ readiness, metrics, log });
  const operationsUrl = await listen(server, 'OPERATIONS_', operations.host, operations.port);
  return { front, url, operationsUrl, reference };
};

/**
 * Runs a gateway until SIGTERM or SIGINT. Resolves when the first load of the catalogue has ended, whether or not it succeeded,
 * and the reference is made. Rejects with one line when it cannot start.
 * @param onLoaded called when the load has ended
 */
export const serve = async (config: Config, onLoaded: () => void): Promise<void> => {
  const log = await openLog(config.logLevel);
  const ending = { log, flush: log.flush, exit: (code: number) => process.exit(code) };
  exitOnUncaughtException(ending);
  process.once('exit', () => void log.flush(0)); // the last lines, when a start fails

  const metrics = createMetrics(version);
  const opened = await openGateway(config, log, metrics.meter);
  let isStopping = false;
  const parts = healthChecksOf(opened.gateway, () => isStopping);
  const readiness = createHealthChecks({ parts, clock: systemClock(), log });
  observe(metrics, opened, readiness, log);
  readiness.start();

  const shadow = await startShadow(config, opened, metrics, log);
  const { front, url, operationsUrl, reference } = await listenOnBoth(config, opened, log, readiness, metrics, shadow);
  log.info({ url, operations: operationsUrl, version, state: config.stateFolder }, 'listening');
  if (config.sandbox !== undefined) process.stderr.write(`${config.sandbox}\n`);
  const banner = await opened.sources.startupBanner(url);
  if (banner !== '') process.stderr.write(`${banner}\n`);

  const steps = {
    drain() {
      isStopping = true;
      front.beginDrain();
      void opened.usage?.flush(); // leaves little to write at the end
    },
    close: () => close(front.server),
    closeConnections: () => front.server.closeAllConnections(),
    async releaseStores() {
      readiness.stop();
      await shadow?.close();
      await opened.close();
    },
  };
  shutdownOnSignal(steps, { graceMs: config.shutdownGraceMs, ...ending });
  await follow(opened);
  onLoaded();
  await reference.prepare(); // after the first pages: no partner waits for it
};
