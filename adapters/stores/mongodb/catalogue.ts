import { isDeepStrictEqual } from 'node:util';
import type { Db } from 'mongodb';
import type { DocumentFault } from '../../../src/domain/document-fault.ts';
import { groupBy } from '../../../src/domain/groups.ts';
import type { Label } from '../../../src/domain/model.ts';
import type { CatalogueContents, ListedArtist } from '../../../src/ports.ts';
import {
  forEachConcurrent,
  forEachYielding,
  runYielding,
  type YieldingWork,
} from '../../../src/runtime/cooperative.ts';
import { labelRules } from '../documents/catalogue-documents.ts';
import { createCollectionReader, type ReadCollection, readBefore } from '../documents/collection-reader.ts';
import { collectionKept, faultOf } from '../documents/faults.ts';
import { createDaysInterner, createInterner } from '../documents/intern.ts';
import type { LoadedCatalogue, TrackedByKey, TrackedDocument } from '../documents/tracked-document.ts';
import type { ContinuedSource } from '../state/kept-source.ts';
import { readNamedDocuments } from './batches.ts';
import { type ChangedDocument, keyOfId, readChanged } from './changed-artists.ts';
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

/** The artists of the documents, and the faults of these. */
const contentsOf = async (tracked: TrackedByKey): Promise<Pick<CatalogueContents, 'artists' | 'faults'>> => {
  const artists: ListedArtist[] = [];
  const faults: DocumentFault[] = [];
  const collect = (document: TrackedDocument): void => {
    if (document.listed !== undefined) artists.push(document.listed);
    faults.push(...document.faults);
  };
  await runYielding(forEachYielding(tracked.values(), collect));
  return { artists, faults };
};

/** The documents of an earlier process. Their revisions are unknown, so each is read again. */
const trackFormer = ({ artists, faults }: CatalogueContents): TrackedByKey => {
  const faultsOf = groupBy(faults, ({ document }) => document);
  return new Map(
    artists.map((listed) => {
      const { documentId } = listed.artist;
      const key = keyOfId(documentId);
      return [key, { key, revision: '', listed, faults: faultsOf.get(documentId) ?? [], keepsRecent: false }];
    }),
  );
};

const hasSameItems = <Item>(left: readonly Item[], right: readonly Item[]): boolean =>
  left.length === right.length && left.every((item, index) => item === right[index]);

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
): ContinuedSource<LoadedCatalogue> => {
  const intern = createInterner();
  const shareDays = createDaysInterner();
  let readLabels = createCollectionReader(labelRules);
  let tracked: TrackedByKey = new Map();
  let last: LoadedCatalogue | undefined;

  /** The documents now, and the faults of whole collections. */
  const trackAll = async (
    empty: EmptyCollections,
  ): Promise<{ next: TrackedByKey; faults: readonly DocumentFault[] }> => {
    const faults: DocumentFault[] = [];
    const checkHistory = isEmptyCollection(db, 'history').then((isEmpty) => empty.observe('history', isEmpty));
    const [scan, keepsRecent] = await Promise.all([
      scanChanges(db.collection('artists'), tracked, checkHistory),
      checkHistory,
    ]);
    if (keepsRecent) faults.push(collectionKept('history'));
    if (empty.observe('artists', scan.documents.length === 0)) {
      faults.push(collectionKept('artists'));
      return { next: tracked, faults };
    }
    const fresh = new Map<string, TrackedDocument>();
    await forEachConcurrent(chunks(scan.changed), maxQueries, async (changed) => {
      const found = await readChanged(db, changed, { intern, shareDays, tracked, keepsRecent });
      for (const [key, document] of found) fresh.set(key, document);
    });
    return { next: await runYielding(trackSteps(scan.documents, fresh)), faults };
  };

  const loadLabels = async (empty: EmptyCollections): Promise<ReadCollection<Label>> => {
    const { documents } = await readNamedDocuments(db, 'labels');
    return runYielding(readLabels(documents, empty.observe('labels', documents.length === 0)));
  };

  const load = async (): Promise<LoadedCatalogue> => {
    const empty = await confirmations.read();
    const [labels, { next, faults: ofCollections }] = await Promise.all([loadLabels(empty), trackAll(empty)]);
    const { artists, faults: ofArtists } = await contentsOf(next);
    tracked = next;
    const faults = [...ofArtists, ...labels.faults, ...ofCollections];
    const known = [...confirmations.before];
    const hasSameLabels = isDeepStrictEqual(labels.models, last?.labels);
    const isSame = hasSameLabels && isDeepStrictEqual([faults, known], [last?.faults, last?.confirmations]);
    if (last !== undefined && isSame && hasSameItems(artists, last.artists)) return last;
    const sameLabels = hasSameLabels ? last?.labels : undefined;
    last = {
      artists,
      labels: sameLabels ?? labels.models,
      faults,
      labelsById: [...labels.lastGood],
      confirmations: known,
    };
    return last;
  };

  return {
    load(former) {
      if (last === undefined && former !== undefined) {
        readLabels = createCollectionReader(labelRules, readBefore(former.labels, former.labelsById));
        for (const [collection, confirmation] of former.confirmations ?? [])
          confirmations.before.set(collection, confirmation);
        tracked = trackFormer(former);
        last = former;
      }
      return readTwice(load);
    },
  };
};
