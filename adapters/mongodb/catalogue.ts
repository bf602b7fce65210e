import type { Collection, Db, Document, ObjectId } from 'mongodb';
import { addDays, type Day, dayOf } from '../../src/day.ts';
import type { Label, Series } from '../../src/model.ts';
import type { CatalogueContents, CatalogueSource, Clock, ListedArtist, Rejection } from '../../src/ports.ts';
import { forEachAbreast, inTurns, type Steps, visitSteps } from '../../src/turns.ts';
import { mapParsed, parseArtist, parseLabel, parseSeries } from '../documents.ts';
import { createSharing, type Sharing } from '../sharing.ts';
import { inBatches } from './batches.ts';
import { maxTimeMS, readTwice } from './connection.ts';

/** Longer than the longest comparison window of the signal engine and its slack. */
const recentDays = 35;

/** Documents asked for at once: large enough to save round trips, small enough to keep each reply short. */
const batch = 100;

/** Batches asked for at the same time: MongoDB is at work on one while another is parsed. */
const batchesAbreast = 2;

/** Documents read between two looks at everybody else; each takes a fraction of a millisecond. */
const parsedAtOnce = 20;

/** The same for ids and instants of change, which are a hundred times smaller. */
const stampBatch = 1_000;
const stampsAtOnce = 250;

/** What is known of one document: the instant of change it was read at, and what came of it. */
interface Followed {
  readonly changed: string;
  readonly listed: ListedArtist | undefined;
  readonly rejected: readonly Rejection[];
}

type DocumentId = string | ObjectId;

/** An artist as far as this file looks into it; what it means is decided where documents become models. */
interface StoredArtist {
  readonly _id: DocumentId;
  readonly updated_at?: unknown;
}

interface Stamp {
  readonly _id: DocumentId;
  readonly changed: string;
}

const changedAt = ({ updated_at: instant }: StoredArtist): string =>
  instant instanceof Date ? instant.toISOString() : String(instant);

const readStamps = async (artists: Collection<StoredArtist>): Promise<Stamp[]> => {
  const cursor = artists.find(
    {},
    { projection: { _id: 1, updated_at: 1 }, sort: { _id: 1 }, batchSize: stampBatch, maxTimeMS },
  );
  const stamps: Stamp[] = [];
  for await (const documents of inBatches(cursor, stampsAtOnce)) {
    for (const document of documents) stamps.push({ _id: document._id, changed: changedAt(document) });
  }
  return stamps;
};

const chunks = <Item>(items: readonly Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / batch) }, (_, index) =>
    items.slice(index * batch, (index + 1) * batch),
  );

/** The artists' own points since a day, by artist. The last forty points of a daily series hold every recent one. */
const readRecent = async (history: Collection<Document>, artistIds: readonly string[], since: Day) => {
  const recent = new Map<string, Series[]>();
  const rejected = new Map<string, Rejection[]>();
  const cursor = history.find(
    { artist_id: { $in: artistIds }, song_id: null },
    { projection: { artist_id: 1, metric: 1, points: { $slice: -(recentDays + 5) } }, maxTimeMS },
  );
  const add = (document: Document): void => {
    const artistId = String(document['artist_id']);
    const parsed = parseSeries(document);
    if ('reason' in parsed) {
      const rejection = { collection: 'history', document: String(document['_id']), reason: parsed.reason };
      rejected.set(artistId, [...(rejected.get(artistId) ?? []), rejection]);
      return;
    }
    const points = parsed.model.points.filter(({ date }) => date >= since);
    recent.set(artistId, [...(recent.get(artistId) ?? []), { ...parsed.model, points }]);
  };
  for await (const documents of inBatches(cursor, parsedAtOnce)) documents.forEach(add);
  return { recent, rejected };
};

/** Reads documents again, with their recent points. One that is gone meanwhile is missing from the result. */
const readChanged = async (
  db: Db,
  ids: readonly DocumentId[],
  since: Day,
  share: Sharing,
): Promise<Map<string, Followed>> => {
  const followed = new Map<string, Followed>();
  const cursor = db.collection<StoredArtist>('artists').find({ _id: { $in: ids } }, { maxTimeMS });
  const parsed: { id: string; changed: string; result: ReturnType<typeof parseArtist> }[] = [];
  for await (const documents of inBatches(cursor, parsedAtOnce)) {
    for (const document of documents) {
      const result = mapParsed(parseArtist(document), share);
      parsed.push({ id: String(document._id), changed: changedAt(document), result });
    }
  }
  const artistIds = parsed.flatMap(({ result }) => ('model' in result ? [result.model.id] : []));
  const { recent, rejected } = await readRecent(db.collection('history'), artistIds, since);
  for (const { id, changed, result } of parsed) {
    if ('reason' in result) {
      const rejection = { collection: 'artists', document: id, reason: result.reason };
      followed.set(id, { changed, listed: undefined, rejected: [rejection] });
      continue;
    }
    const artist = result.model;
    const listed = { artist, recent: recent.get(artist.id) ?? [] };
    followed.set(id, { changed, listed, rejected: rejected.get(artist.id) ?? [] });
  }
  return followed;
};

const readLabels = async (db: Db): Promise<{ labels: Label[]; rejected: Rejection[] }> => {
  const labels: Label[] = [];
  const rejected: Rejection[] = [];
  for await (const document of db.collection('labels').find({}, { sort: { _id: 1 }, maxTimeMS })) {
    const parsed = parseLabel(document);
    if ('model' in parsed) labels.push(parsed.model);
    else rejected.push({ collection: 'labels', document: String(document['_id']), reason: parsed.reason });
  }
  return { labels, rejected };
};

type FollowedById = ReadonlyMap<string, Followed>;

/** The stamps of the documents that have to be read again. */
function* staleSteps(stamps: readonly Stamp[], followed: FollowedById): Steps<Stamp[]> {
  const stale: Stamp[] = [];
  yield* visitSteps(stamps, (stamp) => {
    if (followed.get(String(stamp._id))?.changed !== stamp.changed) stale.push(stamp);
  });
  return stale;
}

/** What is known of every document that is there, in the order of the stamps. */
function* nextSteps(stamps: readonly Stamp[], fresh: FollowedById, followed: FollowedById): Steps<FollowedById> {
  const next = new Map<string, Followed>();
  yield* visitSteps(stamps, ({ _id }) => {
    const id = String(_id);
    const one = fresh.get(id) ?? followed.get(id);
    if (one !== undefined) next.set(id, one);
  });
  return next;
}

/**
 * The catalogue in MongoDB, followed by `updated_at`: each load reads the list of ids and instants of change, then only the
 * documents that are new or changed. Whoever changes a series touches its artist, so a series is read with it. Needs
 * neither change streams nor transactions.
 */
export const createMongoCatalogue = (db: Db, clock: Clock): CatalogueSource => {
  const share = createSharing();
  let followed: FollowedById = new Map();
  let last: CatalogueContents | undefined;
  let lastLabels = '';

  const follow = async (): Promise<FollowedById> => {
    const since = addDays(dayOf(clock.now()), -recentDays);
    const stamps = await readStamps(db.collection<StoredArtist>('artists'));
    const stale = await inTurns(staleSteps(stamps, followed));
    const fresh = new Map<string, Followed>();
    await forEachAbreast(chunks(stale.map(({ _id }) => _id)), batchesAbreast, async (ids) => {
      for (const [id, one] of await readChanged(db, ids, since, share)) fresh.set(id, one);
    });
    const isSame = fresh.size === 0 && stamps.length === followed.size;
    return isSame ? followed : inTurns(nextSteps(stamps, fresh, followed));
  };

  const load = async (): Promise<CatalogueContents> => {
    const next = await follow();
    const { labels, rejected } = await readLabels(db);
    const labelsText = JSON.stringify([labels, rejected]);
    if (last !== undefined && next === followed && labelsText === lastLabels) return last;
    const all = [...next.values()];
    last = {
      artists: all.flatMap(({ listed }) => (listed === undefined ? [] : [listed])),
      labels: last !== undefined && labelsText === lastLabels ? last.labels : labels,
      rejected: [...all.flatMap((one) => one.rejected), ...rejected],
    };
    followed = next;
    lastLabels = labelsText;
    return last;
  };

  return { load: () => readTwice(load) };
};
