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
import { inBatches } from './batches.ts';
import {
  changedAt,
  type DocumentId,
  readChanged,
  recentDays,
  type StoredArtist,
  type TrackedById,
  type TrackedDocument,
} from './changed-artists.ts';
import { maxTimeMS, readTwice } from './connection.ts';

/** Documents asked for at once: large enough to save round trips, small enough to keep each reply short. */
const batch = 100;

/** Batches asked for at the same time: MongoDB is at work on one while another is parsed. */
const batchesAbreast = 2;

/**
 * Ids and instants of change that are asked for at once, and looked at in one turn. They are a hundred times smaller; but what
 * the driver makes of a longer reply lives long enough to be kept, and all of the heap has to be collected so much sooner.
 */
const stampBatch = 250;

/** All documents in the order of `_id`: what is known of each, or the id of one that has to be read again. */
interface Standing {
  readonly documents: readonly (TrackedDocument | string)[];
  readonly stale: readonly DocumentId[];
}

/**
 * Reads the list of ids and instants of change. Of a document that did not change nothing is kept: ten thousand ids and
 * instants that live until the list is complete would hold everybody up whenever garbage is collected meanwhile.
 */
const readStanding = async (artists: Collection<StoredArtist>, followed: TrackedById): Promise<Standing> => {
  const cursor = artists.find(
    {},
    { projection: { _id: 1, updated_at: 1 }, sort: { _id: 1 }, batchSize: stampBatch, maxTimeMS },
  );
  const documents: (TrackedDocument | string)[] = [];
  const stale: DocumentId[] = [];
  for await (const stamps of inBatches(cursor, stampBatch)) {
    for (const stamp of stamps) {
      const id = String(stamp._id);
      const known = followed.get(id);
      if (known !== undefined && Object.is(known.changed, changedAt(stamp))) {
        documents.push(known);
        continue;
      }
      documents.push(id);
      stale.push(stamp._id);
    }
  }
  return { documents, stale };
};

const chunks = <Item>(items: readonly Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / batch) }, (_, index) =>
    items.slice(index * batch, (index + 1) * batch),
  );

const readLabels = async (db: Db): Promise<{ labels: Label[]; rejected: RejectedDocument[] }> => {
  const labels: Label[] = [];
  const rejected: RejectedDocument[] = [];
  for await (const document of db.collection('labels').find({}, { sort: { _id: 1 }, maxTimeMS })) {
    const parsed = parseLabel(document);
    if ('model' in parsed) labels.push(parsed.model);
    else rejected.push({ collection: 'labels', document: String(document['_id']), reason: parsed.reason });
  }
  return { labels, rejected };
};

/** What is known of every document that is there, in the order of `_id`. */
function* nextSteps(documents: Standing['documents'], fresh: TrackedById): YieldingWork<TrackedById> {
  const next = new Map<string, TrackedDocument>();
  yield* forEachYielding(documents, (one) => {
    const known = typeof one === 'string' ? fresh.get(one) : one;
    if (known !== undefined) next.set(known.id, known);
  });
  return next;
}

/** What came of the documents: the artists, and what was left out. */
function* resultSteps(followed: TrackedById): YieldingWork<Pick<CatalogueContents, 'artists' | 'rejected'>> {
  const artists: ListedArtist[] = [];
  const rejected: RejectedDocument[] = [];
  yield* forEachYielding(followed.values(), (one) => {
    if (one.listed !== undefined) artists.push(one.listed);
    rejected.push(...one.rejected);
  });
  return { artists, rejected };
}

/**
 * The catalogue in MongoDB, followed by `updated_at`: each load reads the list of ids and instants of change, then only the
 * documents that are new or changed. Whoever changes a series touches its artist, so a series is read with it. Needs
 * neither change streams nor transactions.
 */
export const createMongoCatalogue = (db: Db, clock: Clock): CatalogueSource => {
  const share = createInterner();
  let followed: TrackedById = new Map();
  let last: CatalogueContents | undefined;
  let lastLabels = '';

  const follow = async (): Promise<TrackedById> => {
    const since = addDays(dayOf(clock.now()), -recentDays);
    const { documents, stale } = await readStanding(db.collection<StoredArtist>('artists'), followed);
    if (stale.length === 0 && documents.length === followed.size) return followed;
    const fresh = new Map<string, TrackedDocument>();
    await forEachConcurrent(chunks(stale), batchesAbreast, async (ids) => {
      for (const [id, one] of await readChanged(db, ids, since, share)) fresh.set(id, one);
    });
    return runYielding(nextSteps(documents, fresh));
  };

  const load = async (): Promise<CatalogueContents> => {
    const next = await follow();
    const { labels, rejected } = await readLabels(db);
    const labelsText = JSON.stringify([labels, rejected]);
    if (last !== undefined && next === followed && labelsText === lastLabels) return last;
    const result = await runYielding(resultSteps(next));
    last = {
      artists: result.artists,
      labels: last !== undefined && labelsText === lastLabels ? last.labels : labels,
      rejected: [...result.rejected, ...rejected],
    };
    followed = next;
    lastLabels = labelsText;
    return last;
  };

  return { load: () => readTwice(load) };
};
