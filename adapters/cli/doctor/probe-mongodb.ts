import type { KeyRecords } from '../../../src/ports.ts';
import { describeFailure } from '../../../src/runtime/store-error.ts';
import { openMongo } from '../../stores/mongodb/connection.ts';
import { missingIndexes } from '../../stores/mongodb/indexes.ts';
import { createMongoKeys } from '../../stores/mongodb/keys.ts';

/** What a look at MongoDB found. */
export interface MongoFindings {
  /** Collections that cannot be read, and why. */
  readonly unreadable: readonly string[];
  /** Collections that a gateway writes and cannot, and why. */
  readonly unwritable: readonly string[];
  readonly missingIndexes: readonly string[];
  /** Milliseconds by which MongoDB's clock is ahead; `undefined` when the server does not tell its time. */
  readonly clockAheadMs: number | undefined;
  /** The newest `updated_at` of an artist, epoch milliseconds; `undefined` without artists. */
  readonly newestChange: number | undefined;
  readonly records: KeyRecords;
}

type Database = ReturnType<typeof openMongo>['db'];

const readCollections = ['artists', 'history', 'labels', 'api_keys', 'organizations', 'usage', 'usage_minutes'];
const writtenCollections = ['usage', 'usage_minutes'];

/** Tries each collection and returns the failures. */
const failuresOf = async (names: readonly string[], attempt: (name: string) => Promise<unknown>): Promise<string[]> => {
  const tried = await Promise.all(
    names.map((name) =>
      attempt(name).then(
        () => [],
        (thrown: unknown) => [`${name} (${describeFailure(thrown)})`],
      ),
    ),
  );
  return tried.flat();
};

const clockAhead = async (db: Database, now: () => number): Promise<number | undefined> => {
  const asked = now();
  const { localTime } = await db.command({ hello: 1 });
  return localTime instanceof Date ? localTime.getTime() - (asked + now()) / 2 : undefined;
};

const newestChange = async (db: Database): Promise<number | undefined> => {
  const [newest] = await db.collection('artists').find().sort({ updated_at: -1 }).limit(1).toArray();
  const changed: unknown = newest?.['updated_at'];
  return changed === undefined ? undefined : new Date(String(changed)).getTime();
};

/** Looks at the database of a URL; writes nothing. Rejects when MongoDB cannot be reached. `now` is the machine's time. */
export const probeMongo = async (
  url: string,
  formNames: readonly string[],
  now: () => number,
): Promise<MongoFindings> => {
  const { db, close } = openMongo(url);
  try {
    await db.command({ ping: 1 });
    const unreadable = await failuresOf(readCollections, (name) => db.collection(name).findOne());
    if (unreadable.length > 0) {
      const nothing = { missingIndexes: [], newestChange: undefined, records: { keys: [], organizations: [] } };
      return { ...nothing, unreadable, unwritable: [], clockAheadMs: await clockAhead(db, now) };
    }
    return {
      unreadable,
      // Needs the right to write, but matches no document.
      unwritable: await failuresOf(writtenCollections, (name) =>
        db.collection<{ _id: string }>(name).updateOne({ _id: 'no such document' }, { $set: { probe: 1 } }),
      ),
      missingIndexes: await missingIndexes(db),
      clockAheadMs: await clockAhead(db, now),
      newestChange: await newestChange(db),
      records: await createMongoKeys(db, formNames).load(),
    };
  } finally {
    await close();
  }
};
