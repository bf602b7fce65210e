import { isDeepStrictEqual } from 'node:util';
import type { Db, ObjectId } from 'mongodb';
import type { Day } from '../../../src/domain/day.ts';
import type { DocumentFault } from '../../../src/domain/document-fault.ts';
import type { Artist, Series } from '../../../src/domain/model.ts';
import type { ListedArtist } from '../../../src/ports.ts';
import { parseArtist } from '../documents/catalogue-documents.ts';
import { describeId } from '../documents/document-id.ts';
import { faultOf, partsLeftOut } from '../documents/faults.ts';
import type { Interner } from '../documents/intern.ts';
import { mapParsed, type Parsed } from '../documents/parse-result.ts';
import type { PointsReader } from '../documents/point-bytes.ts';
import type { Revision, TrackedByKey, TrackedDocument } from '../documents/tracked-document.ts';
import { readInBatches } from './batches.ts';
import { parseBatchSize, readRecent, type StoredSeries } from './recent-series.ts';

export type DocumentId = string | ObjectId;

/** A document that is new or changed. */
export interface ChangedDocument {
  readonly key: string;
  readonly id: DocumentId;
  readonly revision: Revision;
}

/** The revision of a stored artist. */
export const revisionOf = (instant: unknown): Revision =>
  instant instanceof Date ? instant.getTime() : describeId(instant);

/** Identifies a document by its `_id`: an ObjectId and its hex text are two documents. */
export const keyOfId = (id: unknown): string => (typeof id === 'string' ? id : `no text ${describeId(id)}`);

export interface ReadOptions {
  /** The first day of the points to read. */
  readonly since: Day;
  readonly intern: Interner;
  readonly readPoints: PointsReader;
  /** The documents of the last load. */
  readonly tracked: TrackedByKey;
  /** Whether the history is to be ignored because it was found empty. */
  readonly keepsRecent: boolean;
}

/** The series of an artist: what could be read, and the last good version of what could not. */
const mergeRecent = (recent: StoredSeries, former: readonly Series[]) => {
  const faults = [...recent.faults];
  const series = [...recent.series];
  for (const { metric, document, issue } of recent.unreadable) {
    const lastGood = former.find((one) => one.metric === metric);
    if (lastGood !== undefined) series.push(lastGood);
    const event = lastGood === undefined ? 'document left out' : 'document unreadable, serving its last good version';
    faults.push(faultOf(event, 'history', document, issue));
  }
  return { series, faults };
};

const silently = 'content changed without a newer updated_at';

/** A fault if the content differs though the instant of change is not newer: gateways and clients may miss such a change. */
const silentChange = (
  former: TrackedDocument | undefined,
  { artist, content }: ListedArtist,
): readonly DocumentFault[] => {
  const before = former?.listed;
  if (before === undefined || artist.updatedAt > before.artist.updatedAt) return [];
  const isSame = isDeepStrictEqual({ ...before.artist, updatedAt: artist.updatedAt }, artist);
  if (isSame && before.content === content) return former?.faults.filter(({ event }) => event === silently) ?? [];
  const issue = { path: 'updated_at', message: 'must move forward with every change' };
  return [faultOf(silently, 'artists', artist.documentId, issue)];
};

const trackArtist = (
  { key, id, revision }: ChangedDocument,
  parsed: Parsed<Artist>,
  recent: StoredSeries,
  { tracked, keepsRecent }: ReadOptions,
): TrackedDocument => {
  const before = tracked.get(key);
  const former = before?.listed;
  const name = describeId(id);
  if ('issue' in parsed) {
    const event = former === undefined ? 'document left out' : 'document unreadable, serving its last good version';
    const faults = [faultOf(event, 'artists', name, parsed.issue)];
    return { key, revision, listed: former, faults, keepsRecent };
  }
  const { model: artist, leftOut = [] } = parsed;
  const formerRecent = former?.recent ?? [];
  const { series, faults } = keepsRecent ? { series: formerRecent, faults: [] } : mergeRecent(recent, formerRecent);
  const content = leftOut.map(({ path }) => path).join(' ');
  const listed = { artist, recent: series, ...(content !== '' && { content }) };
  const all = [...partsLeftOut('artists', name, leftOut), ...silentChange(before, listed), ...faults];
  return { key, revision, listed, faults: all, keepsRecent };
};

/** The tracked document itself when reading it again found nothing else, so that everything derived from it is kept. */
const settle = (former: TrackedDocument | undefined, next: TrackedDocument): TrackedDocument =>
  former !== undefined && isDeepStrictEqual(former, next) ? former : next;

const noRecent: StoredSeries = { series: [], unreadable: [], faults: [] };

/** Reads artists and their recent points, by key. A document deleted meanwhile is absent. Rejects when MongoDB fails. */
export const readChanged = async (
  db: Db,
  changed: readonly ChangedDocument[],
  options: ReadOptions,
): Promise<Map<string, TrackedDocument>> => {
  const parsed: { changed: ChangedDocument; result: Parsed<Artist> }[] = [];
  const byId = { _id: { $in: changed.map(({ id }) => id) } };
  for await (const documents of readInBatches(db.collection('artists'), byId, parseBatchSize)) {
    for (const document of documents) {
      const revision = revisionOf(document['updated_at']);
      const result = mapParsed(parseArtist(document), options.intern);
      parsed.push({ changed: { key: keyOfId(document['_id']), id: document['_id'], revision }, result });
    }
  }
  const artistIds = parsed.flatMap(({ result }) => ('model' in result ? [result.model.id] : []));
  const recent = await readRecent(db, options.keepsRecent ? [] : artistIds, options.since, options.readPoints);
  return new Map(
    parsed.map(({ changed, result }) => {
      const series = 'model' in result ? recent.get(result.model.id) : undefined;
      const tracked = trackArtist(changed, result, series ?? noRecent, options);
      return [changed.key, settle(options.tracked.get(changed.key), tracked)];
    }),
  );
};
