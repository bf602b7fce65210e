import { type Config, readConfig } from '../../src/runtime/config.ts';
import type { Database } from './database.ts';
import { readRedisUrl } from './redis/address.ts';
import type { SharedQuotas } from './shared-quotas.ts';
import { hostFault, readHost, readStoreUrl, unusableUrl } from './store-url.ts';

/**
 * A kind of database, by the schemes of its URLs. Its driver takes 100 ms to load, so it is loaded
 * when it is first used.
 */
export interface DatabaseEntry {
  readonly schemes: readonly string[];
  readonly load: () => Promise<Database>;
}

/**
 * Every kind of database that `MONGODB_URL` may name. Another one is a folder that fulfils
 * `database.ts`, and a line here.
 */
export const databases: readonly DatabaseEntry[] = [
  {
    schemes: ['mongodb', 'mongodb+srv'],
    load: async () => (await import('./mongodb/database.ts')).mongodb,
  },
];

/**
 * The kind of database that a URL names by its scheme. Throws a `SettingError` with the cause when
 * there is none, or the URL cannot be read. The database itself refuses options that it does not
 * know.
 */
const databaseOf = (url: string): DatabaseEntry => {
  const variable = 'MONGODB_URL';
  const schemes = databases.flatMap((each) => each.schemes);
  const { scheme, hosts, path, query } = readStoreUrl(variable, url, schemes);
  const isHost = (text: string) => readHost(text, 1) !== undefined || text.endsWith('.sock');
  if (!hosts.split(',').every(isHost)) throw unusableUrl(variable, hostFault);
  if (!path) throw unusableUrl(variable, 'no database in its path: write /NAME behind its hosts');
  if (query?.includes('@'))
    throw unusableUrl(variable, '"@" in its options must be written as %40');
  if (/[&=]/.test(path)) throw unusableUrl(variable, 'its options must begin with "?"');
  if (/[/\\. "$*<>:|]|%(20|22|2[ef]|5c)/i.test(path))
    throw unusableUrl(
      variable,
      'the name of its database, its path, has a blank or one of / \\ . " $ * < > : |',
    );
  const entry = databases.find(({ schemes }) => schemes.includes(scheme));
  if (entry === undefined) throw new Error(`no database has the scheme ${scheme}`);
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
  const [{ openRedisQuotas: open }, { probeRedis: probe }, { redisRemedy }] = await Promise.all([
    import('./redis/quotas.ts'),
    import('./redis/probe.ts'),
    import('./redis/errors.ts'),
  ]);
  const remedyFor: SharedQuotas['remedyFor'] = (reason, subject) =>
    redisRemedy(reason.replace(/^Redis: /, ''), subject);
  return { open, probe, remedyFor };
};
