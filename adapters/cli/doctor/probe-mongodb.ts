import type { KeyRecords } from '../../../src/ports.ts';
import { describeFailure } from '../../../src/runtime/store-error.ts';
import type { Database, DocumentStore, OperatorDatabase } from '../../stores/database.ts';
import { loadDatabase } from '../../stores/databases.ts';

/** What a look at the database found. */
export interface MongoFindings {
  /** Collections that cannot be read, and why. */
  readonly unreadable: readonly string[];
  /** Collections that a gateway writes and cannot, and why. */
  readonly unwritable: readonly string[];
  /** Why the indexes cannot be listed; empty when they can. */
  readonly unlisted: readonly string[];
  readonly missingIndexes: readonly string[];
  /** Milliseconds by which the database's clock is ahead; `undefined` when it does not tell its time. */
  readonly clockAheadMs: number | undefined;
  /** The newest `updated_at` of an artist, epoch milliseconds; `undefined` without artists. */
  readonly newestChange: number | undefined;
  readonly records: KeyRecords;
}

const writtenCollections = ['usage', 'usage_minutes'];
const readCollections = ['artists', 'history', 'labels', 'api_keys', 'organizations', 'key_log', ...writtenCollections];

/** Tries each collection and returns the failures. */
const failuresOf = async (
  names: readonly string[],
  attempt: (name: string) => Promise<unknown>,
  describe: Database['describeFailure'],
): Promise<string[]> => {
  const tried = await Promise.all(
    names.map((name) =>
      attempt(name).then(
        () => [],
        (thrown: unknown) => [`${name} (${describe(thrown) ?? describeFailure(thrown)})`],
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
  let newest: number | undefined;
  // An index has both members: no document is read.
  for await (const { updated_at } of documents.find('artists', {
    members: ['updated_at'],
    order: ['_id', 'updated_at'],
  })) {
    const instant = updated_at === undefined ? Number.NaN : new Date(String(updated_at)).getTime();
    if (instant > (newest ?? Number.NEGATIVE_INFINITY)) newest = instant;
  }
  return newest;
};

const nothing = {
  missingIndexes: [],
  newestChange: undefined,
  records: { keys: [], organizations: [] },
};

/** Looks at the database of a URL; writes nothing. Rejects when it cannot be reached. `now` is the machine's time. */
export const probeMongo = async (
  url: string,
  formNames: readonly string[],
  now: () => number,
): Promise<MongoFindings> => {
  const { openOperator, describeFailure: describe } = await loadDatabase(url);
  const database = openOperator(url, { formNames });
  const { documents, indexes, keys } = database;
  try {
    const clockAheadMs = await clockAhead(database, now);
    const unreadable = await failuresOf(readCollections, (name) => read(documents, name), describe);
    if (unreadable.length > 0) return { ...nothing, unreadable, unwritable: [], unlisted: [], clockAheadMs };
    const [records, changed] = [await keys.load(), await newestChange(documents)];
    // Needs the right to write, but matches no document.
    const update = (name: string) => documents.update(name, [{ _id: 'no such document', document: { probe: 1 } }]);
    let missingIndexes: readonly string[] = [];
    const list = async (): Promise<void> => {
      missingIndexes = await indexes.missing();
    };
    return {
      unreadable,
      unwritable: await failuresOf(writtenCollections, update, describe),
      unlisted: await failuresOf(['indexes'], list, describe),
      missingIndexes,
      clockAheadMs,
      newestChange: changed,
      records,
    };
  } finally {
    await database.close();
  }
};
