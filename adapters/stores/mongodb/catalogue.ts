import type { Collection, Db } from 'mongodb';
import { addDays, dayOf } from '../../../src/domain/day.ts';
import type { Label } from '../../../src/domain/model.ts';
import type { CatalogueContents, CatalogueSource, Clock, ListedArtist, RejectedDocument } from '../../../src/ports.ts';
import {
  forEachConcurrent,
  forEachYielding,
  runYielding,
  type YieldingWork,
} from '../../../src/runtime/cooperative.ts';
import { parseLabel } from '../documents/catalogue-documents.ts';
import { createInterner } from '../documents/intern.ts';
import { formatIssue } from '../documents/parse-result.ts';
import { inBatches } from './batches.ts';
import {
  type DocumentId,
  readChanged,
  recentDays,
  revisionOf,
  type StoredArtist,
  type TrackedById,
  type TrackedDocument,
} from './changed-artists.ts';
import { maxTimeMS, readTwice } from './connection.ts';

/** Changed documents per query: large enough to save round trips, small enough to keep each reply short. */
const batchSize = 100;

/** Concurrent queries: MongoDB executes one while the gateway parses the other's reply. */
const maxQueries = 2;

/**
 * Revisions per reply, compared in one turn of the event loop. They are a hundred times smaller than documents; but objects of
 * a longer reply live long enough to be promoted to the old generation, which brings the next full garbage collection closer.
 */
const revisionBatchSize = 250;

/** All documents in the order of `_id`: the tracked document, or the id of one that is new or changed. */
interface ChangeScan {
  readonly documents: readonly (TrackedDocument | string)[];
  readonly changedIds: readonly DocumentId[];
}

/**
 * Reads id and revision of every document and compares them with the tracked ones. The strings read for unchanged documents
 * are dropped at once: 10,000 of them alive until the scan is complete would prolong every garbage collection meanwhile.
 */
const scanChanges = async (artists: Collection<StoredArtist>, tracked: TrackedById): Promise<ChangeScan> => {
  const cursor = artists.find(
    {},
    { projection: { _id: 1, updated_at: 1 }, sort: { _id: 1 }, batchSize: revisionBatchSize, maxTimeMS },
  );
  const documents: (TrackedDocument | string)[] = [];
  const changedIds: DocumentId[] = [];
  for await (const batch of inBatches(cursor, revisionBatchSize)) {
    for (const stored of batch) {
      const id = String(stored._id);
      const known = tracked.get(id);
      if (known !== undefined && Object.is(known.revision, revisionOf(stored))) {
        documents.push(known);
        continue;
      }
      documents.push(id);
      changedIds.push(stored._id);
    }
  }
  return { documents, changedIds };
};

const chunks = <Item>(items: readonly Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / batchSize) }, (_, index) =>
    items.slice(index * batchSize, (index + 1) * batchSize),
  );

const readLabels = async (db: Db): Promise<{ labels: Label[]; rejected: RejectedDocument[] }> => {
  const labels: Label[] = [];
  const rejected: RejectedDocument[] = [];
  for await (const document of db.collection('labels').find({}, { sort: { _id: 1 }, maxTimeMS })) {
    const parsed = parseLabel(document);
    if ('model' in parsed) labels.push(parsed.model);
    else rejected.push({ collection: 'labels', document: String(document['_id']), reason: formatIssue(parsed.issue) });
  }
  return { labels, rejected };
};

/** Tracks every document of the scan, in the order of `_id`. */
function* trackSteps(documents: ChangeScan['documents'], fresh: TrackedById): YieldingWork<TrackedById> {
  const tracked = new Map<string, TrackedDocument>();
  yield* forEachYielding(documents, (document) => {
    const known = typeof document === 'string' ? fresh.get(document) : document;
    if (known !== undefined) tracked.set(known.id, known);
  });
  return tracked;
}

/** Collects the artists and the rejected documents. */
function* collectSteps(tracked: TrackedById): YieldingWork<Pick<CatalogueContents, 'artists' | 'rejected'>> {
  const artists: ListedArtist[] = [];
  const rejected: RejectedDocument[] = [];
  yield* forEachYielding(tracked.values(), (document) => {
    if (document.listed !== undefined) artists.push(document.listed);
    rejected.push(...document.rejected);
  });
  return { artists, rejected };
}

/**
 * Creates the source of the catalogue in MongoDB. Each load reads id and `updated_at` of every artist, then only the artists
 * that are new or changed, with their series: a writer that changes a series must also update its artist's `updated_at`. Needs
 * neither change streams nor transactions. `load` rejects when reading fails twice.
 */
export const createMongoCatalogue = (db: Db, clock: Clock): CatalogueSource => {
  const intern = createInterner();
  let tracked: TrackedById = new Map();
  let last: CatalogueContents | undefined;
  let lastLabels = '';

  const trackAll = async (): Promise<TrackedById> => {
    const since = addDays(dayOf(clock.now()), -recentDays);
    const { documents, changedIds } = await scanChanges(db.collection<StoredArtist>('artists'), tracked);
    if (changedIds.length === 0 && documents.length === tracked.size) return tracked;
    const fresh = new Map<string, TrackedDocument>();
    await forEachConcurrent(chunks(changedIds), maxQueries, async (ids) => {
      for (const [id, document] of await readChanged(db, ids, since, intern)) fresh.set(id, document);
    });
    return runYielding(trackSteps(documents, fresh));
  };

  const load = async (): Promise<CatalogueContents> => {
    const next = await trackAll();
    const { labels, rejected } = await readLabels(db);
    const labelsText = JSON.stringify([labels, rejected]);
    if (last !== undefined && next === tracked && labelsText === lastLabels) return last;
    const result = await runYielding(collectSteps(next));
    last = {
      artists: result.artists,
      labels: last !== undefined && labelsText === lastLabels ? last.labels : labels,
      rejected: [...result.rejected, ...rejected],
    };
    tracked = next;
    lastLabels = labelsText;
    return last;
  };

  return { load: () => readTwice(load) };
};
