import { formNames } from '../../../adapters/forms/forms.ts';
import type { DocumentStore, OperatorDatabase } from '../../../adapters/stores/database.ts';
import { loadDatabase } from '../../../adapters/stores/databases.ts';
import { formatDistance } from '../../../src/domain/quantities.ts';
import { describeFailure } from '../../../src/runtime/store-error.ts';
import { type Finding, mend, ok, remark } from './finding.ts';
import { judgeClock } from './judge.ts';
import { judgeKeys } from './judge-keys.ts';

const writtenCollections = ['usage', 'usage_minutes'];
const readCollections = [
  'artists',
  'history',
  'labels',
  'api_keys',
  'organizations',
  'key_log',
  ...writtenCollections,
];

type Describe = (thrown: unknown) => string;

/** Tries to do something with each of these, and judges what fails; nothing when all succeeds. */
export const examineRights = async (
  [verb, grant]: readonly [verb: string, grant: string],
  names: readonly string[],
  attempt: (name: string) => Promise<unknown>,
  describe: Describe,
): Promise<Finding | undefined> => {
  const tried = names.map((name) =>
    attempt(name).then(
      () => [],
      (thrown: unknown) => [`${name} (${describe(thrown)})`],
    ),
  );
  const failed = (await Promise.all(tried)).flat();
  if (failed.length === 0) return undefined;
  return mend('mongodb rights', `cannot ${verb} ${failed.join(', ')}`, `grant the user ${grant}`);
};

/** Judges how far the database's clock is ahead; unknown when it does not tell its time. */
const examineClock = async (database: OperatorDatabase, now: () => number): Promise<Finding> => {
  const asked = now();
  const told = await database.now();
  return judgeClock('mongodb clock', told === undefined ? undefined : told - (asked + now()) / 2);
};

const read = async (documents: DocumentStore, collection: string): Promise<void> => {
  for await (const _document of documents.find(collection, { last: 1 })) break;
};

const judgeIndexes = (missing: readonly string[]): Finding =>
  missing.length === 0
    ? ok('indexes', 'complete')
    : mend('indexes', `missing: ${missing.join(', ')}`, 'run "artist-gateway catalogue indexes"');

/** A catalogue without a change for this long is old, in milliseconds. */
const oldCatalogueMs = 7 * 86_400_000;

/** Judges when the catalogue last changed. */
const examineCatalogue = async (documents: DocumentStore, now: number): Promise<Finding> => {
  let newest = Number.NEGATIVE_INFINITY;
  // An index has both members: no document is read.
  const query = { members: ['updated_at'], order: ['_id', 'updated_at'] };
  for await (const { updated_at } of documents.find('artists', query)) {
    const instant = updated_at === undefined ? Number.NaN : new Date(String(updated_at)).getTime();
    if (instant > newest) newest = instant;
  }
  if (!Number.isFinite(newest))
    return mend(
      'catalogue',
      'there is no artist',
      'run "artist-gateway catalogue import", or correct MONGODB_URL',
    );
  const found = `last changed ${formatDistance(newest, now)}`;
  if (now - newest <= oldCatalogueMs) return ok('catalogue', found);
  return remark('catalogue', found, 'check the job that imports it');
};

/**
 * Examines the database of a URL; writes nothing. Rejects when it cannot be reached. `now` is the
 * machine's time.
 */
export const examineMongo = async (url: string, now: () => number): Promise<Finding[]> => {
  const { openOperator, describeFailure: describeOwn } = await loadDatabase(url);
  const describe: Describe = (thrown) => describeOwn(thrown) ?? describeFailure(thrown);
  const database = openOperator(url, { formNames });
  const { documents, indexes, keys } = database;
  try {
    const clock = await examineClock(database, now);
    const unreadable = await examineRights(
      ['read', 'find'],
      readCollections,
      (name) => read(documents, name),
      describe,
    );
    if (unreadable !== undefined) return [unreadable, clock];
    // Needs the right to write, but matches no document.
    const update = (name: string) =>
      documents.update(name, [{ _id: 'no such document', document: { probe: 1 } }]);
    let missing: readonly string[] = [];
    const list = async (): Promise<void> => {
      missing = await indexes.missing();
    };
    const unwritable = await examineRights(
      ['write', 'insert and update there'],
      writtenCollections,
      update,
      describe,
    );
    const unlisted = await examineRights(['list', 'listIndexes'], ['indexes'], list, describe);
    return [
      unwritable ?? unlisted ?? ok('mongodb rights', 'reads all collections, writes usage'),
      ...(unlisted === undefined ? [judgeIndexes(missing)] : []),
      clock,
      await examineCatalogue(documents, now()),
      ...judgeKeys(await keys.load(), now()),
    ];
  } finally {
    await database.close();
  }
};
