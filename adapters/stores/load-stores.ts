import type { Database } from './database.ts';
import { readRedisUrl } from './redis/address.ts';
import type { SharedQuotas } from './shared-quotas.ts';
import { readStoreUrl, reservedCharacter, type UrlFault } from './store-url.ts';

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

interface StoreUrls {
  readonly mongodbUrl?: string | undefined;
  readonly redisUrl?: string | undefined;
}

/** The driver itself rejects unknown options. */
const requireMongodbUrl = (url: string): void => {
  readStoreUrl('MONGODB_URL', url, ['mongodb', 'mongodb+srv'], mongodbFaults);
};

/**
 * Returns the settings. Throws a `SettingError` with the cause if a URL is not usable, the same for
 * the gateway and for commands.
 */
export const withUsableUrls = <Settings extends StoreUrls>(settings: Settings): Settings => {
  const { mongodbUrl, redisUrl } = settings;
  if (mongodbUrl !== undefined) requireMongodbUrl(mongodbUrl);
  if (redisUrl !== undefined) readRedisUrl(redisUrl);
  return settings;
};

/** Loads the database for `MONGODB_URL`. Its driver takes 100 ms, so it is loaded on first use. */
export const loadDatabase = async (url: string): Promise<Database> => {
  requireMongodbUrl(url);
  return (await import('./mongodb/database.ts')).mongodb;
};

/** Loads the quota store for `REDIS_URL`. */
export const loadSharedQuotas = async (): Promise<SharedQuotas> => {
  const [{ openRedisQuotas: open }, { probeRedis: probe }] = await Promise.all([
    import('./redis/quotas.ts'),
    import('./redis/probe.ts'),
  ]);
  return { open, probe };
};
