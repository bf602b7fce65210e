import { createServer, type Server } from 'node:http';
import { pino } from 'pino';
import { createEmbeddedCatalogue } from '../adapters/embedded/catalogue.ts';
import { hasCollection } from '../adapters/embedded/files.ts';
import { createEmbeddedKeys } from '../adapters/embedded/keys.ts';
import { createEmbeddedQuotas } from '../adapters/embedded/quota.ts';
import { createMongoCatalogue } from '../adapters/mongodb/catalogue.ts';
import { openMongo } from '../adapters/mongodb/connection.ts';
import { createMongoHistory } from '../adapters/mongodb/history.ts';
import { missingIndexes } from '../adapters/mongodb/indexes.ts';
import { createMongoKeys } from '../adapters/mongodb/keys.ts';
import { openRedisQuotas } from '../adapters/redis/quota.ts';
import { createReference } from '../adapters/reference.ts';
import { buildKeyDirectory } from './access.ts';
import { createApp, forms } from './app.ts';
import { createCatalogueLoader } from './catalogue-loader.ts';
import { fixedClock, systemClock } from './clock.ts';
import { type Config, docsFolder, exchangesFolder, fixtureFolder, version } from './config.ts';
import { describeDemoKeys } from './demo.ts';
import { createDisclosure } from './disclosure.ts';
import { createFollower } from './follower.ts';
import type { CatalogueSource, Clock, HistorySource, KeySource, Log, QuotaStore } from './ports.ts';

/** The composition root: opens the stores, builds the gateway, listens, and closes with grace. */

/** Where artists and keys come from. */
interface Sources {
  readonly catalogue: CatalogueSource;
  readonly histories: HistorySource;
  readonly keys: KeySource;
  /** Whether the start must wait for them, and fail when they cannot be loaded: files do not get better by waiting. */
  readonly mustLoad: boolean;
  /** What a person can try right away. */
  demonstration(baseUrl: string): Promise<string>;
  close(): Promise<void>;
}

interface OpenQuotas extends QuotaStore {
  close(): Promise<void>;
}

/** Histories kept in memory, in bytes. */
const historyCacheBytes = 64 * 1024 * 1024;

const openFiles = async (config: Config, clock: Clock): Promise<Sources> => {
  const folder = config.catalogueFolder ?? fixtureFolder;
  const endsToday = folder === fixtureFolder && config.fixedNow === undefined;
  const files = createEmbeddedCatalogue({ folder, clock, endsToday });
  const keysFolder = config.keysFolder ?? ((await hasCollection(folder, 'api_keys')) ? folder : fixtureFolder);
  const keys = createEmbeddedKeys(keysFolder);
  return {
    catalogue: files,
    histories: files,
    keys,
    mustLoad: true,
    demonstration: async (baseUrl) => describeDemoKeys(await keys.demoKeys(), baseUrl),
    close: async () => {},
  };
};

const openDatabase = (url: string, config: Config, clock: Clock, log: Log): Sources => {
  const { db, close } = openMongo(url);
  const catalogue = createMongoCatalogue(db, clock);
  let hasCheckedIndexes = false;
  const checkIndexes = async (): Promise<void> => {
    if (hasCheckedIndexes) return;
    const missing = await missingIndexes(db);
    if (missing.length > 0) log.warn({ missing }, 'indexes are missing');
    hasCheckedIndexes = true;
  };
  return {
    catalogue: {
      // Indexes are looked at once the database has answered, however late it came.
      async load() {
        const contents = await catalogue.load();
        await checkIndexes();
        return contents;
      },
    },
    histories: createMongoHistory(db, { cacheBytes: historyCacheBytes, timeoutMs: config.storeTimeoutMs, log }),
    keys: createMongoKeys(db, log),
    mustLoad: false,
    demonstration: async () => '',
    close,
  };
};

/** A clock that stands still would never end a quota window, so quotas kept here follow the machine's. */
const openQuotas = ({ redisUrl, storeTimeoutMs }: Config, clock: Clock, log: Log): OpenQuotas =>
  redisUrl === undefined
    ? { ...createEmbeddedQuotas(systemClock()), close: async () => {} }
    : openRedisQuotas({ url: redisUrl, clock, log, timeoutMs: storeTimeoutMs });

const listen = (server: Server, { host, port }: Config): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      resolve(`http://${host}:${typeof address === 'object' ? address?.port : port}`);
    });
  });

/** Runs a gateway until the process is told to stop. Rejects with one line when it cannot start. */
export const serve = async (config: Config): Promise<void> => {
  const log = pino({ level: config.logLevel });
  const clock = config.fixedNow === undefined ? systemClock() : fixedClock(config.fixedNow);
  const { mongodbUrl, storeTimeoutMs } = config;
  const sources =
    mongodbUrl === undefined ? await openFiles(config, clock) : openDatabase(mongodbUrl, config, clock, log);
  const quotas = openQuotas(config, clock, log);

  const keys = createFollower({
    name: 'keys',
    load: async () => buildKeyDirectory(await sources.keys.load()),
    intervalMs: config.keysRefreshMs,
    maxStalenessMs: config.keysMaxStalenessMs,
    clock,
    log,
  });
  const parts = { histories: sources.histories, disclosure: createDisclosure(), spikes: config.spikes };
  const catalogue = createFollower({
    name: 'catalogue',
    load: createCatalogueLoader(sources.catalogue, parts, log),
    intervalMs: config.catalogueRefreshMs,
    maxStalenessMs: config.maxStalenessMs,
    clock,
    log,
  });
  if (sources.mustLoad) {
    await keys.refresh();
    await catalogue.refresh();
  }
  keys.start();
  catalogue.start();

  const localUrl = `http://${config.host}:${config.port}`;
  const reference = createReference(forms, { publicUrl: config.publicUrl, localUrl, exchangesFolder, docsFolder });
  const app = createApp({ clock, log, keys, catalogue, quotas, storeTimeoutMs, version }, reference);
  const server = createServer(app.callback());
  const url = await listen(server, config);
  log.info({ url, version }, 'listening');
  process.stdout.write(`${await sources.demonstration(url)}\n`);

  const stop = (): void => {
    keys.stop();
    catalogue.stop();
    setTimeout(() => server.closeAllConnections(), config.shutdownGraceMs).unref();
    server.close(() => void Promise.all([sources.close(), quotas.close()]));
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
};
