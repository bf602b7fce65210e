import { type Db, type IndexDescription, MongoServerError } from 'mongodb';
import type { Indexes } from '../database.ts';

interface NamedIndex extends IndexDescription {
  readonly name: string;
}

/** MongoDB removes a document when this instant has passed on its clock, within about a minute. */
const expiry: NamedIndex = { name: 'expiry', key: { expires_at: 1 }, expireAfterSeconds: 0 };

/**
 * A lease that was not released stays for a week: the next import learns from it that commands may
 * still be on their way.
 */
const leaseExpiry: NamedIndex = { ...expiry, expireAfterSeconds: 7 * 24 * 3_600 };

/**
 * The indexes that the gateway needs, by collection. Explicit names distinguish them from indexes
 * made by hand.
 */
const indexes: Readonly<Record<string, readonly NamedIndex[]>> = {
  artists: [
    { name: 'stable_id', key: { id: 1 }, unique: true },
    // Covers the query for ids and instants of change that every refresh makes.
    { name: 'followed', key: { _id: 1, updated_at: 1 } },
  ],
  history: [{ name: 'series', key: { artist_id: 1, song_id: 1, metric: 1 }, unique: true }],
  labels: [{ name: 'name', key: { name: 1 } }],
  key_log: [
    { name: 'newest', key: { at: 1, _id: 1 } },
    { name: 'key', key: { key_id: 1, at: 1, _id: 1 } },
    { name: 'organization', key: { organization_id: 1, at: 1, _id: 1 } },
  ],
  api_keys: [{ name: 'organization', key: { organization_id: 1 } }],
  usage: [
    { name: 'day', key: { day: 1 } },
    { name: 'organization', key: { organization_id: 1, day: 1 } },
    expiry,
  ],
  usage_minutes: [
    { name: 'hour', key: { hour: 1 } },
    { name: 'organization', key: { organization_id: 1, hour: 1 } },
    expiry,
  ],
  leases: [leaseExpiry],
};

const namespaceNotFound = 26;

const namesIn = async (db: Db, collection: string): Promise<Set<unknown>> => {
  try {
    const present = await db.collection(collection).listIndexes().toArray();
    return new Set(present.map((index: { name?: unknown }) => index.name));
  } catch (error) {
    if (error instanceof MongoServerError && error.code === namespaceNotFound) return new Set();
    throw error;
  }
};

/** The indexes of a database in MongoDB. Creating them is idempotent. */
export const createMongoIndexes = (db: Db): Indexes => ({
  needed: Object.entries(indexes).flatMap(([collection, wanted]) =>
    wanted.map(({ name }) => `${collection}.${name}`),
  ),
  async missing() {
    const missing: string[] = [];
    for (const [collection, wanted] of Object.entries(indexes)) {
      const present = await namesIn(db, collection);
      for (const { name } of wanted) if (!present.has(name)) missing.push(`${collection}.${name}`);
    }
    return missing;
  },
  async create() {
    for (const [collection, wanted] of Object.entries(indexes)) {
      await db.collection(collection).createIndexes([...wanted]);
    }
  },
});
