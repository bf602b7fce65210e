import type { KeyRecords } from '../../../src/ports.ts';
import { describeFailure } from '../../../src/runtime/store-error.ts';
import type { DocumentStore, OperatorDatabase } from '../../stores/database.ts';
import { loadDatabase } from '../../stores/databases.ts';

/** What a look at the database found. */
export interface MongoFindings {
  /** Collections that cannot be read, and why. */
  readonly unreadable: readonly string[];
  /** Collections that a gateway writes and cannot, and why. */
  readonly unwritable: readonly string[];
  readonly missingIndexes: readonly string[];
  /** Milliseconds by which the database's clock is ahead; `undefined` when it does not tell its time. */
  readonly clockAheadMs: number | undefined;
  /** The newest `updated_at` of an artist, epoch milliseconds; `undefined` without artists. */
  readonly newestChange: number | undefined;
  readonly records: KeyRecords;
}

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

const clockAhead = async (database: OperatorDatabase, now: () => number): Promise<number | undefined> => {
  const asked = now();
  const told = await database.now();
  return told === undefined ? undefined : told - (asked + now()) / 2;
};

const read = async (documents: DocumentStore, collection: string): Promise<void> => {
  for await (const _document of documents.find(collection, { last: 1 })) break;
};

const newestChange = async (documents: DocumentStore): Promise<number | undefined> => {
  for await (const { updated_at } of documents.find('artists', { order: ['updated_at'], last: 1 }))
    return updated_at === undefined ? undefined : new Date(String(updated_at)).getTime();
  return undefined;
};

/** Looks at the database of a URL; writes nothing. Rejects when it cannot be reached. `now` is the machine's time. */
export const probeMongo = async (
  url: string,
  formNames: readonly string[],
  now: () => number,
): Promise<MongoFindings> => {
  const database = (await loadDatabase(url)).openOperator(url, { formNames });
  const { documents, indexes, keys } = database;
  try {
    const clockAheadMs = await clockAhead(database, now);
    const unreadable = await failuresOf(readCollections, (name) => read(documents, name));
    if (unreadable.length > 0) {
      const nothing = { missingIndexes: [], newestChange: undefined, records: { keys: [], organizations: [] } };
      return { ...nothing, unreadable, unwritable: [], clockAheadMs };
    }
    return {
      unreadable,
      // Needs the right to write, but matches no document.
      unwritable: await failuresOf(writtenCollections, (name) =>
        documents.update(name, [{ _id: 'no such document', document: { probe: 1 } }]),
      ),
      missingIndexes: await indexes.missing(),
      clockAheadMs,
      newestChange: await newestChange(documents),
      records: await keys.load(),
    };
  } finally {
    await database.close();
  }
};
