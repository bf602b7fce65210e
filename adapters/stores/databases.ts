import { type Config, readConfig } from '../../src/runtime/config.ts';
import type { Database } from './database.ts';
import { readRedisUrl } from './redis/address.ts';
import type { SharedQuotas } from './shared-quotas.ts';
import { readStoreUrl, reservedCharacter, type UrlFault } from './store-url.ts';

/**
 * A kind of database, by the schemes of its URLs. Its driver takes 100 ms to load, so it is loaded
 * when it is first used.
 */
export interface DatabaseEntry {
  readonly schemes: readonly string[];
  readonly faults: readonly UrlFault[];
  readonly load: () => Promise<Database>;
}

/** What the driver would accept, or refuse in words that repeat a part of the URL. */
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
 * Every kind of database that `MONGODB_URL` may name. Another one is a folder that fulfils
 * `database.ts`, and a line here.
 */
export const databases: readonly DatabaseEntry[] = [
  {
    schemes: ['mongodb', 'mongodb+srv'],
    faults: mongodbFaults,
    load: async () => (await import('./mongodb/database.ts')).mongodb,
  },
];

/**
 * The kind of database that a URL names by its scheme. Throws a `SettingError` with the cause when
 * there is none, or the URL cannot be read. The database itself refuses options that it does not
 * know.
 */
const databaseOf = (url: string): DatabaseEntry => {
  const entry = databases.find(({ schemes }) => schemes.includes(url.split('://', 1)[0] ?? ''));
  const schemes = databases.flatMap((each) => each.schemes);
  readStoreUrl('MONGODB_URL', url, schemes, entry?.faults ?? []);
  if (entry === undefined) throw new Error('no database has the scheme');
  return entry;
};

/** Refuses URLs that no store can open, in the same words for the gateway and for commands. */
export const requireUsableUrls = ({ mongodbUrl, redisUrl }: StoreUrls): void => {
  if (mongodbUrl !== undefined) databaseOf(mongodbUrl);
  if (redisUrl !== undefined) readRedisUrl(redisUrl);
};

/**
 * The settings that a gateway can start with. Throws a `SettingError` that names an invalid
 * variable.
 */
export const readGatewaySettings = (): Config => {
  const settings = readConfig();
  requireUsableUrls(settings);
  return settings;
};

interface StoreUrls {
  readonly mongodbUrl?: string | undefined;
  readonly redisUrl?: string | undefined;
}

/** Loads the database of a URL. */
export const loadDatabase = async (url: string): Promise<Database> => databaseOf(url).load();

/** Loads the store of quotas that `REDIS_URL` names. */
export const loadSharedQuotas = async (): Promise<SharedQuotas> => {
  const [{ openRedisQuotas: open }, { probeRedis: probe }] = await Promise.all([
    import('./redis/quotas.ts'),
    import('./redis/probe.ts'),
  ]);
  return { open, probe };
};
