import { resolve } from 'node:path';
import type { DemoFault } from '../../src/domain/caller.ts';
import type {
  CatalogueSource,
  Clock,
  HistorySource,
  KeyRecords,
  KeySource,
  Log,
  QuotaStore,
  SourceName,
  UsageStore,
} from '../../src/ports.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import type { Config } from '../../src/runtime/config.ts';
import { SettingError } from '../../src/runtime/config.ts';
import { fixtureFolder } from '../../src/runtime/folders.ts';
import type { DatabaseStores, StoresOptions } from './database.ts';
import { createEmbeddedCatalogue } from './embedded/catalogue.ts';
import { hasCollection } from './embedded/files.ts';
import { createEmbeddedKeys, describeDemoKeys } from './embedded/keys.ts';
import { createEmbeddedQuotas } from './embedded/quotas.ts';
import { loadDatabase, loadSharedQuotas } from './load-stores.ts';
import { catalogueRows, rowsOfLists } from './state/copy-rows.ts';
import { describeDatabase, type KeptCopy, keepCopy } from './state/kept-source.ts';

/** The stores of artists, keys and usage. */
interface Sources {
  readonly catalogue: CatalogueSource;
  readonly histories: HistorySource;
  readonly keys: KeySource;
  /** `undefined` with a database. */
  readonly demoFaults: ReadonlyMap<string, DemoFault> | undefined;
  /** Milliseconds by which the database's clock is ahead; `undefined` if unknown. */
  clockAheadMs(): number | undefined;
  /** `undefined` with files, which store no usage. */
  readonly usage: UsageStore | undefined;
  /** The copies on the disk; `undefined` without `STATE_DIR`. */
  readonly copies: Readonly<Record<SourceName, KeptCopy>> | undefined;
  /**
   * True if the gateway loads the sources before it listens, and exits if that fails: retrying does
   * not repair a file.
   */
  readonly requiredAtStart: boolean;
  /** Returns the text printed at startup: commands to try. */
  startupBanner(baseUrl: string): Promise<string>;
  /**
   * Prepares loading, as the first load also does. Rejects with one line if the database URL is not
   * usable.
   */
  open(): Promise<void>;
  /** Writes pending changes to the copies. Never rejects. */
  closeCopies(): Promise<void>;
  close(): Promise<void>;
}

type SourcesOptions = Omit<StoresOptions, 'storeTimeoutMs'>;

const openFiles = async (
  config: Config,
  { clock, formNames }: SourcesOptions,
): Promise<Sources> => {
  const folder = config.catalogueFolder ?? fixtureFolder;
  const isExample = resolve(folder) === resolve(fixtureFolder);
  const rebaseToToday = folder === fixtureFolder && config.fixedNow === undefined;
  const files = createEmbeddedCatalogue({ folder, clock, rebaseToToday });
  const { keysFolder = folder } = config;
  if (!isExample && !(await hasCollection(keysFolder, 'api_keys')))
    throw new SettingError(
      `CATALOGUE_DIR is ${folder}, and there are no api_keys in ${keysFolder}: set MONGODB_URL and make a key with "artist-gateway keys issue", or add api_keys.json. Demo keys open the example catalogue only.`,
    );
  // Not a sandbox if the quota store is shared; production requires both stores.
  const keys = createEmbeddedKeys(keysFolder, formNames, {
    sandbox: config.redisUrl === undefined,
    isExample,
  });
  return {
    catalogue: files,
    histories: files,
    keys,
    demoFaults: await keys.demoFaults(),
    clockAheadMs: () => undefined,
    usage: undefined,
    copies: undefined,
    closeCopies: async () => {},
    requiredAtStart: true,
    startupBanner: async (baseUrl) => describeDemoKeys(await keys.demoKeys(), baseUrl),
    open: async () => {},
    close: async () => {},
  };
};

/**
 * Both sources with copies in `STATE_DIR`, and a function that writes the last copies. Without the
 * setting, only the sources.
 */
const withCopies = (
  url: string,
  { stateFolder: folder }: Config,
  { formNames, log }: SourcesOptions,
  open: () => Promise<DatabaseStores>,
) => {
  const openCatalogue = async () => (await open()).catalogue;
  const openKeys = async () => (await open()).keys;
  if (folder === undefined) {
    return {
      catalogue: { load: async () => (await openCatalogue()).load() },
      keys: { load: async () => (await openKeys()).load() },
      copies: undefined,
      closeCopies: async () => {},
    };
  }
  const source = describeDatabase(url);
  const options = { folder, clock: systemClock(), log };
  const keptCatalogue = keepCopy(openCatalogue, catalogueRows, {
    ...options,
    unit: 'catalogue',
    source,
  });
  const keptKeys = keepCopy(openKeys, rowsOfLists<KeyRecords>('keys', 'organizations'), {
    ...options,
    unit: 'keys',
    // A version with other forms cannot serve keys of a form that it does not have.
    source: `${source} (forms ${formNames.join(', ')})`,
  });
  return {
    catalogue: keptCatalogue,
    keys: keptKeys,
    copies: { catalogue: keptCatalogue.copy, keys: keptKeys.copy },
    closeCopies: async () => void (await Promise.all([keptKeys.close(), keptCatalogue.close()])),
  };
};

/**
 * The stores in a database. The driver is loaded when they are opened: that takes as long as
 * reading a copy of 10,000 artists, and copies are served without it.
 */
const useDatabase = (url: string, config: Config, options: SourcesOptions): Sources => {
  let opened: Promise<DatabaseStores> | undefined;
  let clockAheadMs: DatabaseStores['clockAheadMs'] = () => undefined;
  const open = (): Promise<DatabaseStores> => {
    const { storeTimeoutMs, responseSettings } = config;
    opened ??= loadDatabase(url).then((database) => {
      const stores = database.openStores(url, { ...options, storeTimeoutMs, responseSettings });
      ({ clockAheadMs } = stores);
      return stores;
    });
    return opened;
  };
  return {
    ...withCopies(url, config, options, open),
    histories: { read: async (artist) => (await open()).histories.read(artist) },
    usage: { write: async (totals) => (await open()).usage.write(totals) },
    demoFaults: undefined,
    clockAheadMs: () => clockAheadMs(),
    requiredAtStart: false,
    startupBanner: async () => '',
    open: async () => void (await open()),
    close: async () => (await opened)?.close(),
  };
};

/** Opens the configured sources. Works even if they are unreachable; only reading them fails. */
export const openSources = async (config: Config, options: SourcesOptions): Promise<Sources> =>
  config.mongodbUrl === undefined
    ? openFiles(config, options)
    : useDatabase(config.mongodbUrl, config, options);

/**
 * Opens the configured quota store. In-process quotas use the system clock, because with
 * `FIXED_NOW` a window would never end.
 */
export const openQuotas = async (
  { redisUrl, storeTimeoutMs }: Config,
  clock: Clock,
  log: Log,
): Promise<QuotaStore & Pick<Sources, 'clockAheadMs' | 'close'>> => {
  if (redisUrl === undefined)
    return {
      ...createEmbeddedQuotas(systemClock()),
      clockAheadMs: () => undefined,
      close: async () => {},
    };
  return (await loadSharedQuotas()).open({ url: redisUrl, clock, log, timeoutMs: storeTimeoutMs });
};
