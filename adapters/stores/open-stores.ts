import type { DemoFault } from '../../src/domain/caller.ts';
import { describeDemoKeys } from '../../src/keys/demo-keys.ts';
import type { CatalogueSource, Clock, HistorySource, KeySource, Log, QuotaStore, UsageStore } from '../../src/ports.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import type { Config } from '../../src/runtime/config.ts';
import { fixtureFolder } from '../../src/runtime/config.ts';
import { createEmbeddedCatalogue } from './embedded/catalogue.ts';
import { hasCollection } from './embedded/files.ts';
import { createEmbeddedKeys } from './embedded/keys.ts';
import { createEmbeddedQuotas } from './embedded/quota.ts';
import { createMongoCatalogue } from './mongodb/catalogue.ts';
import { openMongo } from './mongodb/connection.ts';
import { createEmptyCollections } from './mongodb/empty-collections.ts';
import { createStoreErrors } from './mongodb/failure.ts';
import { createMongoHistory } from './mongodb/history.ts';
import { missingIndexes } from './mongodb/indexes.ts';
import { createMongoKeys } from './mongodb/keys.ts';
import { createMongoUsage } from './mongodb/usage.ts';
import { openRedisQuotas } from './redis/quota.ts';

/** The stores of artists, keys and usage. */
export interface Sources {
  readonly catalogue: CatalogueSource;
  readonly histories: HistorySource;
  readonly keys: KeySource;
  /** `undefined` with a database. */
  readonly demoFaults: ReadonlyMap<string, DemoFault> | undefined;
  /** `undefined` with files, which store no usage. */
  readonly usage: UsageStore | undefined;
  /** Whether the gateway loads them before it listens, and fails when it cannot: retrying does not repair a file. */
  readonly requiredAtStart: boolean;
  /** The text printed at the start: commands to try. */
  startupBanner(baseUrl: string): Promise<string>;
  close(): Promise<void>;
}

export interface SourcesOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** The forms that keys may be pinned to. */
  readonly formNames: readonly string[];
}

export interface ClosableQuotas extends QuotaStore {
  close(): Promise<void>;
}

const openFiles = async (config: Config, { clock, formNames }: SourcesOptions): Promise<Sources> => {
  const folder = config.catalogueFolder ?? fixtureFolder;
  const rebaseToToday = folder === fixtureFolder && config.fixedNow === undefined;
  const files = createEmbeddedCatalogue({ folder, clock, rebaseToToday });
  const keysFolder = config.keysFolder ?? ((await hasCollection(folder, 'api_keys')) ? folder : fixtureFolder);
  // A quota store that others share is no sandbox; production is none, since it requires both stores.
  const keys = createEmbeddedKeys(keysFolder, formNames, { sandbox: config.redisUrl === undefined });
  return {
    catalogue: files,
    histories: files,
    keys,
    demoFaults: await keys.demoFaults(),
    usage: undefined,
    requiredAtStart: true,
    startupBanner: async (baseUrl) => describeDemoKeys(await keys.demoKeys(), baseUrl),
    close: async () => {},
  };
};

const openDatabase = (url: string, config: Config, { clock, formNames, log }: SourcesOptions): Sources => {
  const { db, failure, close } = openMongo(url);
  const withStoreErrors = createStoreErrors(failure);
  const readEmptyCollections = createEmptyCollections(db);
  const catalogue = createMongoCatalogue(db, clock, readEmptyCollections);
  const histories = createMongoHistory(db, { timeoutMs: config.storeTimeoutMs, log, readEmptyCollections });
  const keys = createMongoKeys(db, formNames);
  const usage = createMongoUsage(db);
  let hasCheckedIndexes = false;
  const checkIndexes = async (): Promise<void> => {
    if (hasCheckedIndexes) return;
    const missing = await missingIndexes(db);
    if (missing.length > 0) log.warn({ missing }, 'indexes are missing');
    hasCheckedIndexes = true;
  };
  return {
    catalogue: {
      // Checks the indexes after the first successful load: the database may be down at the start.
      async load() {
        const contents = await withStoreErrors(catalogue.load());
        await withStoreErrors(checkIndexes());
        return contents;
      },
    },
    histories: { read: (artist) => withStoreErrors(histories.read(artist)) },
    keys: { load: () => withStoreErrors(keys.load()) },
    usage: { write: (totals) => withStoreErrors(usage.write(totals)) },
    demoFaults: undefined,
    requiredAtStart: false,
    startupBanner: async () => '',
    close,
  };
};

/** Opens the sources that the configuration names. Reading them decides whether they are reachable; opening them does not. */
export const openSources = async (config: Config, options: SourcesOptions): Promise<Sources> =>
  config.mongodbUrl === undefined ? openFiles(config, options) : openDatabase(config.mongodbUrl, config, options);

/**
 * Opens the quota store that the configuration names. In-process quotas use the system clock, because with `FIXED_NOW` a window
 * would never end. Rejects with one line when Redis refuses the database of the URL.
 */
export const openQuotas = async (
  { redisUrl, storeTimeoutMs }: Config,
  clock: Clock,
  log: Log,
): Promise<ClosableQuotas> => {
  if (redisUrl === undefined) return { ...createEmbeddedQuotas(systemClock()), close: async () => {} };
  const quotas = openRedisQuotas({ url: redisUrl, clock, log, timeoutMs: storeTimeoutMs });
  try {
    await quotas.confirmDatabase();
    return quotas;
  } catch (refusal) {
    await quotas.close();
    throw refusal;
  }
};
