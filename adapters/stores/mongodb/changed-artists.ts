import type { Collection, Db, Document, ObjectId } from 'mongodb';
import type { Day } from '../../../src/domain/day.ts';
import type { Series } from '../../../src/domain/model.ts';
import type { ListedArtist, RejectedDocument } from '../../../src/ports.ts';
import { parseArtist, parseSeries } from '../documents/catalogue-documents.ts';
import type { Interner } from '../documents/intern.ts';
import { formatIssue, mapParsed } from '../documents/parse-result.ts';
import { inBatches } from './batches.ts';
import { maxTimeMS } from './connection.ts';

/** The longest comparison window of the signal engine (30 days) plus its slack, rounded up. */
export const recentDays = 35;

/** Documents parsed in one turn of the event loop: each takes a fraction of a millisecond, a whole one before the JIT. */
const parseBatchSize = 10;

/** `updated_at` as a comparable value: epoch milliseconds of a date, else the value as text. */
type Revision = number | string;

/** A document of the last load: its revision, and either the artist or why it was rejected. */
export interface TrackedDocument {
  readonly id: string;
  readonly revision: Revision;
  readonly listed: ListedArtist | undefined;
  readonly rejected: readonly RejectedDocument[];
}

export type TrackedById = ReadonlyMap<string, TrackedDocument>;

export type DocumentId = string | ObjectId;

/** The members of a stored artist that change tracking reads. */
export interface StoredArtist {
  readonly _id: DocumentId;
  readonly updated_at?: unknown;
}

/** The revision of a stored artist. */
export const revisionOf = ({ updated_at: instant }: StoredArtist): Revision =>
  instant instanceof Date ? instant.getTime() : String(instant);

/** Reads the artists' own points since a day, by artist. The last 40 points of a daily series include the last 35 days. */
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
    if ('issue' in parsed) {
      const rejection = { collection: 'history', document: String(document['_id']), reason: formatIssue(parsed.issue) };
      rejected.set(artistId, [...(rejected.get(artistId) ?? []), rejection]);
      return;
    }
    const points = parsed.model.points.filter(({ date }) => date >= since);
    recent.set(artistId, [...(recent.get(artistId) ?? []), { ...parsed.model, points }]);
  };
  for await (const documents of inBatches(cursor, parseBatchSize)) documents.forEach(add);
  return { recent, rejected };
};

/** Reads artists and their recent points, by document id. A document deleted meanwhile is absent. Rejects when MongoDB fails. */
export const readChanged = async (
  db: Db,
  ids: readonly DocumentId[],
  since: Day,
  intern: Interner,
): Promise<Map<string, TrackedDocument>> => {
  const tracked = new Map<string, TrackedDocument>();
  const cursor = db.collection<StoredArtist>('artists').find({ _id: { $in: ids } }, { maxTimeMS });
  const parsed: { id: string; revision: Revision; result: ReturnType<typeof parseArtist> }[] = [];
  for await (const documents of inBatches(cursor, parseBatchSize)) {
    for (const document of documents) {
      const result = mapParsed(parseArtist(document), intern);
      parsed.push({ id: String(document._id), revision: revisionOf(document), result });
    }
  }
  const artistIds = parsed.flatMap(({ result }) => ('model' in result ? [result.model.id] : []));
  const { recent, rejected } = await readRecent(db.collection('history'), artistIds, since);
  for (const { id, revision, result } of parsed) {
    if ('issue' in result) {
      const rejection = { collection: 'artists', document: id, reason: formatIssue(result.issue) };
      tracked.set(id, { id, revision, listed: undefined, rejected: [rejection] });
      continue;
    }
    const artist = result.model;
    const listed = { artist, recent: recent.get(artist.id) ?? [] };
    tracked.set(id, { id, revision, listed, rejected: rejected.get(artist.id) ?? [] });
  }
  return tracked;
};
