import { isDeepStrictEqual } from 'node:util';
import type { Db } from 'mongodb';
import type { DocumentFault } from '../../../src/domain/document-fault.ts';
import { inBatches } from '../../../src/domain/groups.ts';
import type { Label } from '../../../src/domain/model.ts';
import type { CatalogueContents, CatalogueSource, ListedArtist } from '../../../src/ports.ts';
import { forEachInTurns } from '../../../src/runtime/cooperative.ts';
import { labelRules } from '../documents/catalogue-documents.ts';
import { createCollectionReader, type ReadCollection } from '../documents/collection-reader.ts';
import { collectionKept } from '../documents/faults.ts';
import { createDaysInterner, createInterner } from '../documents/intern.ts';
import type { TrackedByKey, TrackedDocument } from '../documents/tracked-document.ts';
import { readNamedDocuments } from './batches.ts';
import {
  type ChangedDocument,
  type ReadOptions,
  readChanged,
  unusableId,
} from './changed-artists.ts';
import { readTwice } from './connection.ts';
import {
  createConfirmations,
  type EmptyCollections,
  isEmptyCollection,
} from './empty-collections.ts';
import { type ChangeScan, scanChanges } from './scan-changes.ts';

/**
 * Changed documents per query: large enough to save round trips, small enough to keep each reply
 * short.
 */
const batchSize = 100;

/** Concurrent queries: MongoDB runs one while the gateway parses the reply of the other. */
const maxQueries = 2;

/**
 * A document that was listed but not found: it was deleted in the meantime, or its `_id` cannot be
 * queried.
 */
const notFound = ({ key, revision }: ChangedDocument): TrackedDocument | undefined =>
  key.includes('\ufffd') ? unusableId(key, revision, key, 'is not UTF-8') : undefined;

/** Reads changed documents with two queries at a time. */
const readInParallel = async (
  db: Db,
  documents: readonly ChangedDocument[],
  options: ReadOptions,
): Promise<TrackedByKey> => {
  const fresh = new Map<string, TrackedDocument>();
  const batches = inBatches(documents, batchSize); // shared: if one loop throws, all end
  const readRest = async (): Promise<void> => {
    for (const changed of batches)
      for (const [key, document] of await readChanged(db, changed, options))
        fresh.set(key, document);
  };
  await Promise.all(Array.from({ length: maxQueries }, readRest));
  return fresh;
};

/** Tracks every document of the scan, in the order of `_id`. */
const trackAgain = async (
  documents: ChangeScan['documents'],
  fresh: TrackedByKey,
): Promise<TrackedByKey> => {
  const tracked = new Map<string, TrackedDocument>();
  await forEachInTurns(documents, (document) => {
    const next = 'id' in document ? (fresh.get(document.key) ?? notFound(document)) : document;
    if (next !== undefined) tracked.set(next.key, next);
  });
  return tracked;
};

/** The artists of the documents, and the documents' faults. */
const contentsOf = async (
  tracked: TrackedByKey,
): Promise<Pick<CatalogueContents, 'artists' | 'faults'>> => {
  const artists: ListedArtist[] = [];
  const faults: DocumentFault[] = [];
  const collect = (document: TrackedDocument): void => {
    if (document.listed !== undefined) artists.push(document.listed);
    faults.push(...document.faults);
  };
  await forEachInTurns(tracked.values(), collect);
  return { artists, faults };
};

const hasSameItems = <Item>(left: readonly Item[], right: readonly Item[] = []): boolean =>
  left.length === right.length && left.every((item, index) => item === right[index]);

/**
 * Creates the source of the catalogue in MongoDB. Each load reads id and `updated_at` of every
 * artist, then the new or changed artists with their series. A writer that changes a series must
 * update the artist's `updated_at`. `load` rejects if reading fails twice.
 *
 * @param confirmations by default used by this source only
 */
export const createMongoCatalogue = (
  db: Db,
  confirmations = createConfirmations(),
): CatalogueSource => {
  const intern = createInterner();
  const shareDays = createDaysInterner();
  const readLabels = createCollectionReader(labelRules);
  let tracked: TrackedByKey = new Map();
  /** True if the last load ignored an empty history, or empty artists. */
  let ignoredHistory = false;
  /** The confirmed empty history that the served data is based on. */
  let historyConfirmation: string | undefined;
  let last: CatalogueContents | undefined;

  const judgeHistory = (empty: EmptyCollections, isEmpty: boolean) => {
    const ignoresHistory = empty.observe('history', isEmpty);
    const confirmed = `${empty.confirmed.get('history') ?? ''}${isEmpty ? ' empty' : ''}`;
    const confirmation = ignoresHistory ? (historyConfirmation ?? '') : confirmed;
    const isOther = ignoredHistory || confirmation !== historyConfirmation;
    return { ignoresHistory, confirmation, readsAll: isOther && !ignoresHistory };
  };

  /** Returns the current documents, and the faults of whole collections. */
  const trackAll = async (empty: EmptyCollections) => {
    const isEmpty = await isEmptyCollection(db, 'history');
    const { ignoresHistory, confirmation, readsAll } = judgeHistory(empty, isEmpty);
    const faults = ignoresHistory ? [collectionKept('history')] : [];
    const scan = await scanChanges(db.collection('artists'), tracked, readsAll);
    if (empty.observe('artists', scan.documents.length === 0)) {
      faults.push(collectionKept('artists'));
      // With another history, the artists may return unchanged.
      return { tracked, ignoredHistory: true, historyConfirmation, faults };
    }
    const fresh = await readInParallel(db, scan.changed, {
      intern,
      shareDays,
      tracked,
      ignoresHistory,
      readsAll,
      historyConfirmation: confirmation,
    });
    return {
      tracked: await trackAgain(scan.documents, fresh),
      ignoredHistory: ignoresHistory,
      historyConfirmation: confirmation,
      faults,
    };
  };

  const loadLabels = async (empty: EmptyCollections): Promise<ReadCollection<Label>> => {
    const { documents } = await readNamedDocuments(db, 'labels');
    return readLabels(documents, empty.observe('labels', documents.length === 0));
  };

  const load = async (): Promise<CatalogueContents> => {
    const empty = await confirmations.read(db);
    const [labels, now] = await Promise.all([loadLabels(empty), trackAll(empty)]);
    const { artists, faults } = await contentsOf(now.tracked);
    ({ tracked, ignoredHistory, historyConfirmation } = now);
    const hasSameLabels = isDeepStrictEqual(labels.models, last?.labels);
    const next: CatalogueContents = {
      artists,
      labels: (hasSameLabels ? last?.labels : undefined) ?? labels.models,
      faults: [...faults, ...labels.faults, ...now.faults],
    };
    const isSame =
      hasSameItems(artists, last?.artists) &&
      isDeepStrictEqual({ ...next, artists: last?.artists }, last);
    last = isSame && last !== undefined ? last : next;
    return last;
  };

  return { load: () => readTwice(load) };
};
