import type { Database } from './database.ts';
import type { SharedQuotas } from './shared-quotas.ts';

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
 * The message about a URL that no database can open. The URL may hold a password, so the text does
 * not repeat it.
 */
export const unusableUrl =
  'MONGODB_URL is not usable: it must be a mongodb:// URL with the database in its path.';

/** The kind of database that a URL names by its scheme. Throws when there is none. */
export const databaseOf = (url: string): DatabaseEntry => {
  const [scheme = ''] = url.split('://');
  const entry = databases.find(({ schemes }) => schemes.includes(scheme));
  if (entry === undefined) throw new Error(unusableUrl);
  return entry;
};

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
