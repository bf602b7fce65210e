import type { Database } from './database.ts';
import type { SharedQuotas } from './shared-quotas.ts';

/** A kind of database, by the schemes of its URLs. Its driver takes 100 ms to load, so it is loaded when it is first used. */
export interface DatabaseEntry {
  readonly schemes: readonly string[];
  readonly load: () => Promise<Database>;
}

/** Every kind of database that `MONGODB_URL` may name. Another one is a folder that fulfils `database.ts`, and a line here. */
export const databases: DatabaseEntry[] = [
  { schemes: ['mongodb', 'mongodb+srv'], load: async () => (await import('./mongodb/database.ts')).mongodb },
];

/** The error of a URL that no database can open. The URL may hold a password, so the text does not repeat it. */
export const unusableUrl = 'MONGODB_URL is not usable: it must be a mongodb:// URL with the database in its path.';

/** Loads the database that a URL names by its scheme. Rejects when none has the scheme. */
export const loadDatabase = (url: string): Promise<Database> => {
  const [scheme = ''] = url.split('://');
  const entry = databases.find(({ schemes }) => schemes.includes(scheme));
  return entry === undefined ? Promise.reject(new Error(unusableUrl)) : entry.load();
};

/** Loads the store of quotas that `REDIS_URL` names. */
export const loadSharedQuotas = async (): Promise<SharedQuotas> => {
  const [{ openRedisQuotas: open }, { probeRedis: probe }] = await Promise.all([
    import('./redis/quotas.ts'),
    import('./redis/probe.ts'),
  ]);
  return { open, probe };
};
