import { type Config, readConfig } from '../../src/runtime/config.ts';
import type { Database } from './database.ts';
import { readRedisUrl } from './redis/address.ts';
import type { SharedQuotas } from './shared-quotas.ts';
import { readStoreUrl, reservedCharacter, type UrlFault } from './store-url.ts';

/**
 * A kind of database, by URL scheme. Its driver takes 100 ms to load, so it is loaded on first use.
 */
export interface DatabaseEntry {
  readonly schemes: readonly string[];
  readonly faults: readonly UrlFault[];
  readonly load: () => Promise<Database>;
}

/** URLs that the driver would accept, or reject with a message that repeats a part of the URL. */
const mongodbFaults: readonly UrlFault[] = [
  [/\/\/[^@:]*:[^@]*:[^@]*@/, reservedCharacter],
  [/\/\/[^/?]*\/?(\?|$)/, 'no database in its path: write /NAME behind its hosts'],
  [/\/\/[^?]*[&=]/, 'its options must begin with "?"'],
  [
    /\/\/[^/]*\/[^?]*([/\\."$*<>:|]|%(20|22|2[ef]|5c))/i,
    'the name of its database, its path, has a blank or one of / \\ . " $ * < > : |',
  ],
  [/[?&]w=0(&|$)/i, 'with w=0 no write is confirmed, and a change of a key may be lost: remove it'],
  [
    /[?&](timeoutMS|raw|promote\w+|useBigInt64|ignoreUndefined)=/i,
    'it has an option that changes how documents are read or time out (timeoutMS, raw, promote…, useBigInt64, ignoreUndefined): remove it',
  ],
];

/**
 * Every kind of database for `MONGODB_URL`. To add one, add a folder that implements `database.ts`,
 * and a line here.
 */
export const databases: readonly DatabaseEntry[] = [
  {
    schemes: ['mongodb', 'mongodb+srv'],
    faults: mongodbFaults,
    load: async () => (await import('./mongodb/database.ts')).mongodb,
  },
];

/**
 * Finds the kind of database by URL scheme. Throws a `SettingError` with the cause if there is
 * none, or if the URL cannot be read. The database itself rejects unknown options.
 */
const databaseOf = (url: string): DatabaseEntry => {
  const entry = databases.find(({ schemes }) => schemes.includes(url.split('://', 1)[0] ?? ''));
  const schemes = databases.flatMap((each) => each.schemes);
  readStoreUrl('MONGODB_URL', url, schemes, entry?.faults ?? []);
  if (entry === undefined) throw new Error('no database has the scheme');
  return entry;
};

/** Rejects unusable URLs, with the same messages for the gateway and for commands. */
export const requireUsableUrls = ({ mongodbUrl, redisUrl }: StoreUrls): void => {
  if (mongodbUrl !== undefined) databaseOf(mongodbUrl);
  if (redisUrl !== undefined) readRedisUrl(redisUrl);
};

/** Reads the settings of a gateway. Throws a `SettingError` that names the invalid variable. */
export const readGatewaySettings = (): Config => {
  const settings = readConfig();
  requireUsableUrls(settings);
  return settings;
};

interface StoreUrls {
  readonly mongodbUrl?: string | undefined;
  readonly redisUrl?: string | undefined;
}

export const loadDatabase = async (url: string): Promise<Database> => databaseOf(url).load();

/** Loads the quota store for `REDIS_URL`. */
export const loadSharedQuotas = async (): Promise<SharedQuotas> => {
  const [{ openRedisQuotas: open }, { probeRedis: probe }] = await Promise.all([
    import('./redis/quotas.ts'),
    import('./redis/probe.ts'),
  ]);
  return { open, probe };
};
