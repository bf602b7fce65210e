import type { Collection, Db, Document, ObjectId } from 'mongodb';
import type { Day } from '../../../src/domain/day.ts';
import type { Series } from '../../../src/domain/model.ts';
import type { ListedArtist, RejectedDocument } from '../../../src/ports.ts';
import { mapParsed, parseArtist, parseSeries } from '../documents/catalogue-documents.ts';
import type { Interner } from '../documents/intern.ts';
import { inBatches } from './batches.ts';
import { maxTimeMS } from './connection.ts';

/** Longer than the longest comparison window of the signal engine and its slack. */
export const recentDays = 35;

/** Documents read between two looks at everybody else; each takes a fraction of a millisecond, at first a whole one. */
const parsedAtOnce = 10;

/** An instant of change, to be told from another: epoch milliseconds of a date, else the text of whatever is there. */
type Changed = number | string;

/** What is known of one document: the instant of change it was read at, and what came of it. */
export interface TrackedDocument {
  readonly id: string;
  readonly changed: Changed;
  readonly listed: ListedArtist | undefined;
  readonly rejected: readonly RejectedDocument[];
}

export type TrackedById = ReadonlyMap<string, TrackedDocument>;

export type DocumentId = string | ObjectId;

/** An artist as far as following looks into it; what it means is decided where documents become models. */
export interface StoredArtist {
  readonly _id: DocumentId;
  readonly updated_at?: unknown;
}

/** The instant of change that a document carries. */
export const changedAt = ({ updated_at: instant }: StoredArtist): Changed =>
  instant instanceof Date ? instant.getTime() : String(instant);

/** The artists' own points since a day, by artist. The last forty points of a daily series hold every recent one. */
const readRecent = async (history: Collection<Document>, artistIds: readonly string[], since: Day) => {
  const recent = new Map<string, Series[]>();
  const rejected = new Map<string, RejectedDocument[]>();
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
export const readChanged = async (
  db: Db,
  ids: readonly DocumentId[],
  since: Day,
  share: Interner,
): Promise<Map<string, TrackedDocument>> => {
  const followed = new Map<string, TrackedDocument>();
  const cursor = db.collection<StoredArtist>('artists').find({ _id: { $in: ids } }, { maxTimeMS });
  const parsed: { id: string; changed: Changed; result: ReturnType<typeof parseArtist> }[] = [];
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
      followed.set(id, { id, changed, listed: undefined, rejected: [rejection] });
      continue;
    }
    const artist = result.model;
    const listed = { artist, recent: recent.get(artist.id) ?? [] };
    followed.set(id, { id, changed, listed, rejected: rejected.get(artist.id) ?? [] });
  }
  return followed;
};
