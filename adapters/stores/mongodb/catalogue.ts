import { isDeepStrictEqual } from 'node:util';
import type { Db } from 'mongodb';
import type { DocumentFault } from '../../../src/domain/document-fault.ts';
import type { Label } from '../../../src/domain/model.ts';
import type { CatalogueContents } from '../../../src/ports.ts';
import {
  forEachConcurrent,
  forEachYielding,
  runYielding,
  type YieldingWork,
} from '../../../src/runtime/cooperative.ts';
import { labelRules } from '../documents/catalogue-documents.ts';
import { createCollectionReader, emptyCollection, type ReadCollection } from '../documents/collection-reader.ts';
import { collectionKept, faultOf } from '../documents/faults.ts';
import { createDaysInterner, createInterner } from '../documents/intern.ts';
import {
  contentsOfCatalogue,
  type TrackedByKey,
  type TrackedCatalogue,
  type TrackedDocument,
} from '../documents/tracked-document.ts';
import type { ResumableSource } from '../state/kept-source.ts';
import { readNamedDocuments } from './batches.ts';
import { type ChangedDocument, readChanged } from './changed-artists.ts';
import { readTwice } from './connection.ts';
import { createConfirmations, type EmptyCollections, isEmptyCollection } from './empty-collections.ts';
import { type ChangeScan, scanChanges } from './scan-changes.ts';

/** Changed documents per query: large enough to save round trips, small enough to keep each reply short. */
const batchSize = 100;

/** Concurrent queries: MongoDB executes one while the gateway parses the other's reply. */
const maxQueries = 2;

const chunks = <Item>(items: readonly Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / batchSize) }, (_, index) =>
    items.slice(index * batchSize, (index + 1) * batchSize),
  );

/** A document that was listed and not found: it was deleted meanwhile, or its `_id` cannot be asked for. */
const notFound = ({ key, revision }: ChangedDocument): TrackedDocument | undefined => {
  if (!key.includes('\ufffd')) return undefined;
  const fault = faultOf('document left out', 'artists', key, { path: '_id', message: 'is not UTF-8' });
  return { key, revision, listed: undefined, faults: [fault], keepsRecent: false };
};

/** Tracks every document of the scan, in the order of `_id`. */
function* trackSteps(documents: ChangeScan['documents'], fresh: TrackedByKey): YieldingWork<TrackedByKey> {
  const tracked = new Map<string, TrackedDocument>();
  yield* forEachYielding(documents, (document) => {
    const next = 'id' in document ? (fresh.get(document.key) ?? notFound(document)) : document;
    if (next !== undefined) tracked.set(next.key, next);
  });
  return tracked;
}

/** Whether reading again found every document as it was. */
const isUnchanged = ({ documents, changed }: ChangeScan, fresh: TrackedByKey, tracked: TrackedByKey): boolean =>
  documents.length === tracked.size && changed.every(({ key }) => fresh.get(key) === tracked.get(key));

/** A read collection with equal models in place of its own, also as the last good versions: a copy finds these by their model. */
const withModels = <Model>(
  { models, lastGood, ...read }: ReadCollection<Model>,
  equal: readonly Model[],
): ReadCollection<Model> => {
  const equalOf = new Map(models.map((model, index) => [model, equal[index] ?? model]));
  const kept = [...lastGood].map(([identifier, model]) => [identifier, equalOf.get(model) ?? model] as const);
  return { ...read, models: equal, lastGood: new Map(kept) };
};

/**
 * Creates the source of the catalogue in MongoDB. Each load reads id and `updated_at` of every artist, then only the artists
 * that are new or changed, with their series: a writer that changes a series must also update its artist's `updated_at`. Needs
 * neither change streams nor transactions. `load` rejects when reading fails twice.
 *
 * @param confirmations by default for this source alone
 */
export const createMongoCatalogue = (
  db: Db,
  confirmations = createConfirmations(db),
): ResumableSource<CatalogueContents, TrackedCatalogue> => {
  const intern = createInterner();
  const shareDays = createDaysInterner();
  let readLabels = createCollectionReader(labelRules);
  let labels = emptyCollection<Label>();
  let tracked: TrackedByKey = new Map();
  let last: CatalogueContents | undefined;
  let collectionFaults: readonly DocumentFault[] = [];

  /** The documents now, or the tracked ones if nothing changed, and the faults of whole collections. */
  const trackAll = async (
    empty: EmptyCollections,
  ): Promise<{ next: TrackedByKey; faults: readonly DocumentFault[] }> => {
    const faults: DocumentFault[] = [];
    const checkHistory = isEmptyCollection(db, 'history').then((isEmpty) => empty.isSuspect('history', isEmpty));
    const [scan, keepsRecent] = await Promise.all([
      scanChanges(db.collection('artists'), tracked, checkHistory),
      checkHistory,
    ]);
    if (keepsRecent) faults.push(collectionKept('history'));
    if (empty.isSuspect('artists', scan.documents.length === 0)) {
      faults.push(collectionKept('artists'));
      return { next: tracked, faults };
    }
    const fresh = new Map<string, TrackedDocument>();
    await forEachConcurrent(chunks(scan.changed), maxQueries, async (changed) => {
      const found = await readChanged(db, changed, { intern, shareDays, tracked, keepsRecent });
      for (const [key, document] of found) fresh.set(key, document);
    });
    if (isUnchanged(scan, fresh, tracked)) return { next: tracked, faults };
    return { next: await runYielding(trackSteps(scan.documents, fresh)), faults };
  };

  const state = (): TrackedCatalogue => ({
    artists: tracked,
    labels,
    faults: collectionFaults,
    confirmations: new Map(confirmations.before),
  });

  const loadLabels = async (empty: EmptyCollections): Promise<ReadCollection<Label>> => {
    const { documents } = await readNamedDocuments(db, 'labels');
    return runYielding(readLabels(documents, empty.isSuspect('labels', documents.length === 0)));
  };

  const load = async (): Promise<CatalogueContents> => {
    const empty = await confirmations.read();
    const [nextLabels, { next, faults: ofCollections }] = await Promise.all([loadLabels(empty), trackAll(empty)]);
    const faults = [...nextLabels.faults, ...ofCollections];
    const sameLabels = isDeepStrictEqual(nextLabels.models, labels.models);
    if (last !== undefined && next === tracked && sameLabels && isDeepStrictEqual(faults, collectionFaults))
      return last;
    labels = sameLabels ? withModels(nextLabels, labels.models) : nextLabels;
    [tracked, collectionFaults] = [next, faults];
    last = await contentsOfCatalogue(state());
    return last;
  };

  return {
    load: () => readTwice(load),
    state,
    resume(former, contents) {
      readLabels = createCollectionReader(labelRules, former.labels);
      for (const [collection, confirmation] of former.confirmations) confirmations.before.set(collection, confirmation);
      [tracked, labels, collectionFaults, last] = [former.artists, former.labels, former.faults, contents];
    },
  };
};
