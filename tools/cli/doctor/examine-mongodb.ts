import { formNames } from '../../../adapters/forms/forms.ts';
import type { DocumentStore, OperatorDatabase } from '../../../adapters/stores/database.ts';
import { loadDatabase } from '../../../adapters/stores/load-stores.ts';
import { groupBy } from '../../../src/domain/groups.ts';
import { formatDistance } from '../../../src/domain/quantities.ts';
import { dayMs, hourMs, minuteMs } from '../../../src/domain/time.ts';
import { StoreError, type StoreFailure } from '../../../src/runtime/store-error.ts';
import { createUsageReader } from '../../operator/usage.ts';
import { type Finding, fail, ok, warning } from './finding.ts';
import { judgeClock } from './judge.ts';
import { judgeKeys } from './judge-keys.ts';
import { loadKeysNearSunset } from './near-sunset.ts';

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

type Explain = (thrown: unknown) => StoreFailure;

/**
 * Tries to do something with each of these, and judges what fails, by its reason; nothing when all
 * succeeds.
 */
export const examineRights = async (
  verb: string,
  names: readonly string[],
  attempt: (name: string) => Promise<unknown>,
  explain: Explain,
): Promise<Finding | undefined> => {
  const tried = names.map((name) =>
    attempt(name).then(
      () => [],
      (thrown: unknown) => [{ name, ...explain(thrown) }],
    ),
  );
  const failed = (await Promise.all(tried)).flat();
  if (failed.length === 0) return undefined;
  const found = [...groupBy(failed, ({ reason }) => reason)].map(
    ([reason, those]) => `${those.map(({ name }) => name).join(', ')} (${reason})`,
  );
  const remedies = new Set(failed.map(({ remedy }) => remedy));
  return fail('mongodb rights', `cannot ${verb} ${found.join(', ')}`, [...remedies].join('; '));
};

const examineClock = async (database: OperatorDatabase, now: () => number): Promise<Finding> => {
  const asked = now();
  const time = await database.now();
  return judgeClock('mongodb clock', time === undefined ? undefined : time - (asked + now()) / 2);
};

const read = async (documents: DocumentStore, collection: string): Promise<void> => {
  for await (const _document of documents.find(collection, { last: 1 })) break;
};

type IndexFindings = Awaited<ReturnType<OperatorDatabase['indexes']['check']>>;

const judgeIndexes = ({ missing, obstacles }: IndexFindings): Finding =>
  missing.length === 0
    ? ok('indexes', 'complete')
    : fail(
        'indexes',
        `missing: ${missing.join(', ')}`,
        obstacles.length === 0 ? 'run "artist-gateway catalogue indexes"' : obstacles.join('; '),
      );

/** A catalogue without a change for this long is old, in milliseconds. */
const oldCatalogueMs = 7 * dayMs;

const examineCatalogue = async (documents: DocumentStore, now: number): Promise<Finding> => {
  let newest = Number.NEGATIVE_INFINITY;
  // An index has both members: no document is read.
  const query = { members: ['updated_at'], order: ['_id', 'updated_at'] };
  for await (const { updated_at } of documents.find('artists', query)) {
    const instant = updated_at === undefined ? Number.NaN : new Date(String(updated_at)).getTime();
    if (instant > newest) newest = instant;
  }
  if (!Number.isFinite(newest))
    return fail(
      'catalogue',
      'no artists',
      'run "artist-gateway catalogue import", or correct MONGODB_URL',
    );
  const found = `last changed ${formatDistance(newest, now)}`;
  if (now - newest <= oldCatalogueMs) return ok('catalogue', found);
  return warning('catalogue', found, 'check the job that imports it');
};

/** Judges whether there is a label: without one no signing is detected in a P-line. */
const examineLabels = async (documents: DocumentStore): Promise<Finding> => {
  const count = await documents.count('labels');
  if (count > 0) return ok('labels', `${count} tracked`);
  const advice = 'import labels.json: "signings" list only artists whose status is "signed"';
  return warning('labels', 'no labels', advice);
};

/** A gateway that counted requests this recently runs, in milliseconds. */
const runningMs = 3 * minuteMs;

/** Names each setting that shapes answers and in which running gateways differ. */
const examineSettings = async (documents: DocumentStore, now: number): Promise<Finding[]> => {
  const values = new Map<string, Set<string>>();
  const since = now - runningMs;
  const from = ['hour', new Date(since - (since % hourMs))] as const;
  const members = ['hour', 'minutes', 'settings'];
  for await (const { hour, minutes, settings } of documents.find('usage_minutes', {
    from,
    members,
  })) {
    const last = Math.max(...Object.keys(Object(minutes)).map(Number));
    if (Number(hour) + (last + 1) * minuteMs < since) continue;
    for (const [name, value] of Object.entries(Object(settings)))
      values.set(name, (values.get(name) ?? new Set()).add(String(value)));
  }
  if (values.size === 0) return [];
  const differing = [...values].filter(([, { size }]) => size > 1);
  if (differing.length === 0) return [ok('gateways', 'answer by the same settings')];
  return differing.map(([name, found]) =>
    fail('gateways', `${name} differs: ${[...found].join(', ')}`, 'give all gateways one value'),
  );
};

/** The documents of the catalogue that no gateway can serve, a row each. */
const examineServed = async ({ catalogue }: OperatorDatabase): Promise<Finding[]> => {
  const { faults } = await catalogue.load();
  return faults
    .filter(({ event }) => event === 'invalid document ignored')
    .map(({ collection, document, reason }) =>
      fail('not served', `${collection} ${document}: ${reason}`, 'correct the document'),
    );
};

/**
 * Examines the database of a URL; writes nothing. Rejects when it cannot be reached. `now` is the
 * machine's time.
 */
export const examineMongo = async (url: string, now: () => number): Promise<Finding[]> => {
  const { openOperator } = await loadDatabase(url);
  const database = openOperator(url, { formNames });
  const { documents, indexes, keys } = database;
  const explain: Explain = (thrown) => database.explainFailure(thrown);
  try {
    const clock = await examineClock(database, now);
    const unreadable = await examineRights(
      'read',
      readCollections,
      (name) => read(documents, name),
      explain,
    );
    if (unreadable !== undefined) return [unreadable, clock];
    // Needs the right to write, but matches no document.
    const update = (name: string) =>
      documents.update(name, [{ _id: 'no such document', document: { probe: 1 } }]);
    let found: IndexFindings = { missing: [], obstacles: [] };
    const list = async (): Promise<void> => {
      found = await indexes.check();
    };
    const unwritable = await examineRights('write', writtenCollections, update, explain);
    const unlisted = await examineRights('list', ['indexes'], list, explain);
    const records = await keys.load();
    return [
      unwritable ?? unlisted ?? ok('mongodb rights', 'reads all collections, writes usage'),
      ...(unlisted === undefined ? [judgeIndexes(found)] : []),
      clock,
      await examineCatalogue(documents, now()),
      ...(await examineServed(database)),
      ...(await examineSettings(documents, now())),
      await examineLabels(documents),
      ...judgeKeys(
        records,
        await loadKeysNearSunset(records.keys, createUsageReader(documents), now()),
        now(),
      ),
    ];
  } catch (thrown) {
    const { reason, remedy } = explain(thrown);
    throw new StoreError(`MongoDB: ${reason}`, remedy);
  } finally {
    await database.close();
  }
};
