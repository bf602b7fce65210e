import { once } from 'node:events';
import type { Server } from 'node:http';
import { forms } from '../adapters/forms/forms.ts';
import { createApp } from '../adapters/http/app.ts';
import type { Gateway } from '../adapters/http/pipeline.ts';
import { createHttpServer } from '../adapters/http/server.ts';
import { createReference, type Reference } from '../adapters/reference/handler.ts';
import { openQuotas, openSources, type Sources } from '../adapters/stores/open-stores.ts';
import { type GatewayLog, openLog } from '../adapters/telemetry/log.ts';
import { createMetrics, type Metrics } from '../adapters/telemetry/metrics.ts';
import { createOperationsServer } from '../adapters/telemetry/operations-server.ts';
import { createDisclosure } from './catalogue/disclosure.ts';
import { createCatalogueLoader } from './catalogue/loader.ts';
import { createSpikeFinder } from './catalogue/spikes.ts';
import { buildKeyDirectory } from './keys/authenticate.ts';
import type { Clock, Log, Meter } from './ports.ts';
import { fixedClock, systemClock } from './runtime/clock.ts';
import { type Config, docsFolder, exchangesFolder, version } from './runtime/config.ts';
import { createFollower } from './runtime/follower.ts';
import { createHealthChecks, followerCheck, type HealthCheck, type HealthChecks } from './runtime/health-checks.ts';
import { exitOnUncaughtException, shutdownOnSignal } from './runtime/shutdown.ts';
import { timeHistories, timeQuotas } from './runtime/timed-stores.ts';
import { createUsageRecorder, type UsageRecorder } from './usage/recorder.ts';

/** The composition root: opens the stores, builds the gateway, listens, and ends with grace. */

const followSources = (sources: Sources, config: Config, clock: Clock, log: Log, meter: Meter) => ({
  keys: createFollower({
    name: 'keys',
    load: async () => buildKeyDirectory(await sources.keys.load()),
    intervalMs: config.keysRefreshMs,
    maxStalenessMs: config.keysMaxStalenessMs,
    clock,
    log,
    observe: (ms, answered) => meter.refresh('keys', ms, answered),
  }),
  catalogue: createFollower({
    name: 'catalogue',
    load: createCatalogueLoader(
      sources.catalogue,
      {
        histories: timeHistories(sources.histories, meter, clock),
        disclosure: createDisclosure(),
        spikes: createSpikeFinder(config.spikes),
      },
      log,
    ),
    intervalMs: config.catalogueRefreshMs,
    maxStalenessMs: config.maxStalenessMs,
    clock,
    log,
    observe: (ms, answered) => meter.refresh('catalogue', ms, answered),
  }),
});

interface OpenGateway {
  readonly gateway: Gateway;
  readonly sources: Sources;
  readonly usage: UsageRecorder | undefined;
  close(): Promise<void>;
}

/** A gateway over the stores that the configuration names. It follows them from now on, whether or not they are there. */
const openGateway = async (config: Config, log: Log, meter: Meter): Promise<OpenGateway> => {
  const clock = config.fixedNow === undefined ? systemClock() : fixedClock(config.fixedNow);
  const sources = await openSources(config, clock, log);
  const quotas = openQuotas(config, clock, log);
  const { keys, catalogue } = followSources(sources, config, clock, log, meter);
  if (sources.requiredAtStart) {
    await keys.refresh();
    await catalogue.refresh();
  }
  keys.start();
  catalogue.start();
  const usage = sources.usage && createUsageRecorder(sources.usage, config.usageFlushMs, log);
  const { storeTimeoutMs, bodyCacheBytes } = config;
  const measured = timeQuotas(quotas, meter, clock);
  return {
    gateway: { clock, log, meter, usage, keys, catalogue, quotas: measured, storeTimeoutMs, bodyCacheBytes, version },
    sources,
    usage,
    async close() {
      keys.stop();
      catalogue.stop();
      await usage?.close();
      await Promise.all([sources.close(), quotas.close()]);
    },
  };
};

/** Everything that must be well for requests to be sent here. */
const partsOf = (
  { keys, catalogue, quotas, clock, storeTimeoutMs }: Gateway,
  isStopping: () => boolean,
): HealthCheck[] => [
  followerCheck('keys', keys),
  followerCheck('catalogue', catalogue),
  {
    name: 'quotas',
    check: () =>
      quotas
        .read({ subject: 'probe:readiness', window: 'minute', limit: 1 }, clock.elapsed() + storeTimeoutMs)
        .then(() => undefined)
        .catch((cause: unknown) => (cause instanceof Error ? cause.message : String(cause))),
  },
  { name: 'process', check: () => (isStopping() ? 'stopping' : undefined) },
];

const watch = (
  metrics: Metrics,
  { gateway: { keys, catalogue }, usage }: OpenGateway,
  readiness: HealthChecks,
  log: GatewayLog,
): void => {
  metrics.watchProcess();
  if (usage !== undefined) metrics.watchUsage(usage);
  metrics.watch({
    sources: {
      keys: { age: keys.age, size: () => keys.value()?.size ?? 0 },
      catalogue: { age: catalogue.age, size: () => catalogue.value()?.snapshot.listed.length ?? 0 },
    },
    readyParts: () => readiness.last().parts,
    droppedLogLines: log.droppedLines,
  });
};

const openReference = ({ host, port, publicUrl }: Config): Reference =>
  createReference(forms, { publicUrl, localUrl: `http://${host}:${port}`, exchangesFolder, docsFolder });

/** Listens, and tells where. Rejects with one line that names the setting. */
const listen = async (server: Server, setting: string, host: string, port: number): Promise<string> => {
  server.listen(port, host);
  await once(server, 'listening').catch((cause: NodeJS.ErrnoException) => {
    throw new Error(`${setting} is ${port}: ${host} cannot be listened on there (${cause.code}).`, { cause });
  });
  const address = server.address();
  return `http://${host}:${typeof address === 'object' ? address?.port : port}`;
};

const close = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()));

/** Runs a gateway until the process is told to stop. Rejects with one line when it cannot start. */
export const serve = async (config: Config): Promise<void> => {
  const log = await openLog(config.logLevel);
  const ends = { log, flush: log.flush, exit: (code: number) => process.exit(code) };
  exitOnUncaughtException(ends);
  process.once('exit', () => void log.flush(0)); // lines of the last turn, when a start fails

  const metrics = createMetrics(version);
  const opened = await openGateway(config, log, metrics.meter);
  const { gateway, sources, usage } = opened;
  let isStopping = false;
  const readiness = createHealthChecks({ parts: partsOf(gateway, () => isStopping), clock: systemClock(), log });
  watch(metrics, opened, readiness, log);
  readiness.start();

  const { meter } = metrics;
  const app = createApp(gateway, openReference(config));
  const front = createHttpServer(app.callback(), { form: forms[0], clock: systemClock(), log, meter });
  const url = await listen(front.server, 'PORT', config.host, config.port);
  const operations = createOperationsServer({ readiness, metrics, log });
  const { host, port } = config.operations;
  const operationsUrl = port === 0 ? undefined : await listen(operations, 'OPERATIONS_PORT', host, port);
  log.info({ url, operations: operationsUrl, version }, 'listening');
  const demonstration = await sources.startupBanner(url);
  if (demonstration !== '') process.stderr.write(`${demonstration}\n`);

  const ending = {
    drain() {
      isStopping = true;
      front.beginDrain();
      void usage?.flush(); // so that little is left to be written at the end
    },
    close: () => close(front.server),
    closeConnections: () => front.server.closeAllConnections(),
    async releaseStores() {
      readiness.stop();
      await opened.close();
    },
  };
  shutdownOnSignal(ending, { graceMs: config.shutdownGraceMs, ...ends });
};
