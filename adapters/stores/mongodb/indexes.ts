import { type Db, type IndexDescription, MongoServerError } from 'mongodb';
import { type Indexes, uniqueKeys } from '../database.ts';

interface NamedIndex extends IndexDescription {
  readonly name: string;
}

/** MongoDB removes a document within about a minute after this time on its clock. */
const expiry: NamedIndex = { name: 'expiry', key: { expires_at: 1 }, expireAfterSeconds: 0 };

const newest: NamedIndex = { name: 'newest', key: { at: 1, _id: 1 } };

/**
 * A lease that was not released is kept for a week: it shows the next import that commands may
 * still be running.
 */
const leaseExpiry: NamedIndex = { ...expiry, expireAfterSeconds: 7 * 24 * 3_600 };

/**
 * The indexes that the gateway needs, by collection. Explicit names distinguish them from indexes
 * made by hand.
 */
const indexes: Readonly<Record<string, readonly NamedIndex[]>> = {
  artists: [
    { name: 'stable_id', key: { id: 1 }, unique: true },
    // Covers the query for ids and change times that every refresh sends.
    { name: 'followed', key: { _id: 1, updated_at: 1 } },
  ],
  history: [{ name: 'series', key: { artist_id: 1, song_id: 1, metric: 1 }, unique: true }],
  labels: [{ name: 'name', key: { name: 1 } }],
  import_log: [newest],
  key_log: [
    newest,
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

/** An index as MongoDB lists it. */
interface ListedIndex {
  readonly name?: unknown;
  readonly key?: Readonly<Record<string, unknown>>;
  readonly unique?: boolean;
  readonly sparse?: boolean;
  readonly hidden?: boolean;
  readonly expireAfterSeconds?: unknown;
  readonly partialFilterExpression?: unknown;
  readonly collation?: unknown;
}

const indexesIn = async (db: Db, collection: string): Promise<readonly ListedIndex[]> => {
  try {
    return await db.collection(collection).listIndexes().toArray();
  } catch (error) {
    if (error instanceof MongoServerError && error.code === namespaceNotFound) return [];
    throw error;
  }
};

const keyText = (key: object = {}): string =>
  JSON.stringify(Object.entries(key).map(([member, order]) => [member, Number(order)]));

/**
 * True if the index covers only some documents, or uses a collation. MongoDB allows a full index
 * with the same keys next to it.
 */
const isPartial = ({ partialFilterExpression, collation }: ListedIndex): boolean =>
  partialFilterExpression !== undefined || collation !== undefined;

/** Why an index cannot serve as the required index; `undefined` if it can. */
const faultOf = (
  collection: string,
  wanted: NamedIndex,
  found: ListedIndex,
): string | undefined => {
  if (keyText(found.key) !== keyText(wanted.key)) return 'has another key';
  if (isPartial(found)) return 'does not hold every document in the order of code points';
  if (found.sparse === true) return 'is sparse';
  if (found.hidden === true) return 'is hidden';
  if (Number(found.expireAfterSeconds ?? -1) !== (wanted.expireAfterSeconds ?? -1))
    return wanted.expireAfterSeconds === undefined
      ? 'removes documents (expireAfterSeconds)'
      : `has another expireAfterSeconds than ${wanted.expireAfterSeconds}`;
  if (wanted.unique === true && found.unique !== true) return 'is not unique';
  // A manual index may be unique if no two documents share the key anyway.
  const isUniqueAnyway =
    wanted.unique === true || Object.keys(wanted.key).join() === uniqueKeys[collection]?.join();
  return found.unique === true && !isUniqueAnyway ? 'is unique' : undefined;
};

/** Finds the index that conflicts with a missing index: an index with its name or its key. */
const findObstacle = (collection: string, wanted: NamedIndex, present: readonly ListedIndex[]) => {
  const found =
    present.find(({ name }) => name === wanted.name) ??
    present.find((each) => keyText(each.key) === keyText(wanted.key) && !isPartial(each));
  if (found === undefined) return undefined;
  const name = String(found.name);
  return `the index ${collection}.${name} ${faultOf(collection, wanted, found)}: remove it with db.${collection}.dropIndex(${JSON.stringify(name)}) in mongosh, then run "artist-gateway catalogue indexes"`;
};

/** The indexes of a database in MongoDB. Creating them is idempotent. */
export const createMongoIndexes = (db: Db): Indexes => {
  /**
   * Required indexes that the collection lacks, each with the index that conflicts with it, if any.
   */
  const findMissing = async (collection: string, wanted: readonly NamedIndex[]) => {
    const present = await indexesIn(db, collection);
    return wanted
      .filter((each) => !present.some((found) => faultOf(collection, each, found) === undefined))
      .map((index) => ({ index, obstacle: findObstacle(collection, index, present) }));
  };
  return {
    needed: Object.entries(indexes).flatMap(([collection, wanted]) =>
      wanted.map(({ name }) => `${collection}.${name}`),
    ),
    async check() {
      const [missing, obstacles]: [string[], string[]] = [[], []];
      for (const [collection, wanted] of Object.entries(indexes)) {
        for (const { index, obstacle } of await findMissing(collection, wanted)) {
          missing.push(`${collection}.${index.name}`);
          if (obstacle !== undefined) obstacles.push(obstacle);
        }
      }
      return { missing, obstacles };
    },
    async create() {
      for (const [collection, wanted] of Object.entries(indexes)) {
        const missing = await findMissing(collection, wanted);
        const [obstacle] = missing.flatMap((each) => each.obstacle ?? []);
        if (obstacle !== undefined)
          throw new Error(`An index that is needed cannot be created: ${obstacle}.`);
        if (missing.length > 0)
          await db.collection(collection).createIndexes(missing.map(({ index }) => index));
      }
    },
  };
};
