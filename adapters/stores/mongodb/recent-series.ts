import { BSON, type Db, type Document } from 'mongodb';
import { recentDays } from '../../../src/catalogue/spikes.ts';
import type { Day } from '../../../src/domain/day.ts';
import type { DocumentFault } from '../../../src/domain/document-fault.ts';
import type { HistoryPoint, Series } from '../../../src/domain/model.ts';
import { parseSeries } from '../documents/catalogue-documents.ts';
import { describeId } from '../documents/document-id.ts';
import { faultOf, partsLeftOut } from '../documents/faults.ts';
import type { DocumentIssue } from '../documents/parse-result.ts';
import type { PointsReader } from '../documents/point-bytes.ts';
import { readBson, readBytesInBatches } from './batches.ts';

/** Documents parsed in one turn of the event loop: each takes a fraction of a millisecond, a whole one before the JIT. */
export const parseBatchSize = 10;

/** A stored series that cannot be read. */
export interface UnreadableSeries {
  /** As stored, whatever it is. */
  readonly metric: unknown;
  readonly document: string;
  readonly issue: DocumentIssue;
}

/** Stored series of one artist: those that can be read, and what is wrong with the others. */
export interface StoredSeries {
  readonly series: Series[];
  readonly unreadable: UnreadableSeries[];
  readonly faults: DocumentFault[];
}

/** A document of the collection `history`, and its points if they were read from its bytes: the document has none then. */
export interface SeriesDocument {
  readonly document: Document;
  readonly points: readonly HistoryPoint[] | undefined;
}

const arrayType = 4;

/** Reads a document of the collection `history` from its bytes, its points by themselves if that is possible. */
export const readSeriesDocument = (bytes: Uint8Array, readPoints: PointsReader): SeriesDocument => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const [element, ...others] = [...BSON.onDemand.parseToElements(bytes)].filter(
    ([, nameOffset, nameLength]) => buffer.toString('latin1', nameOffset, nameOffset + nameLength) === 'points',
  );
  const [type, nameOffset = 0, , offset = 0, length = 0] = element ?? [];
  const end = offset + length;
  const points = type === arrayType && others.length === 0 ? readPoints(bytes.subarray(offset, end)) : undefined;
  if (points === undefined) return { document: readBson(bytes), points };
  const rest = Buffer.concat([bytes.subarray(0, nameOffset - 1), bytes.subarray(end)]); // without the type before the name
  rest.writeInt32LE(rest.length);
  return { document: { ...readBson(rest), points: [] }, points };
};

/** Adds a document of the collection `history` to the series of its artist; of series of the same metric the first is kept. */
export const addSeries = ({ series, unreadable, faults }: StoredSeries, { document, points }: SeriesDocument): void => {
  const name = describeId(document['_id']);
  const parsed = parseSeries(document);
  if ('issue' in parsed) {
    unreadable.push({ metric: document['metric'], document: name, issue: parsed.issue });
    return;
  }
  const { model, leftOut } = parsed;
  if (series.some(({ metric, songId }) => metric === model.metric && songId === model.songId)) {
    const issue = { path: 'metric', message: 'another document with the same identifier is kept' };
    faults.push(faultOf('document left out', 'history', name, issue));
    return;
  }
  series.push(points === undefined ? model : { ...model, points });
  faults.push(...partsLeftOut('history', name, leftOut));
};

/** Reads the artists' own points since a day, by artist. The last 40 points of a daily series include the last 35 days. */
export const readRecent = async (
  db: Db,
  artistIds: readonly string[],
  since: Day,
  readPoints: PointsReader,
): Promise<ReadonlyMap<string, StoredSeries>> => {
  const recent = new Map<string, StoredSeries>();
  if (artistIds.length === 0) return recent;
  const batches = readBytesInBatches(
    db.collection('history'),
    { artist_id: { $in: artistIds }, song_id: null },
    parseBatchSize,
    {
      projection: { artist_id: 1, metric: 1, points: { $slice: -(recentDays + 5) } },
    },
  );
  for await (const documents of batches) {
    for (const bytes of documents) {
      const stored = readSeriesDocument(bytes, readPoints);
      const artistId = describeId(stored.document['artist_id']);
      const found = recent.get(artistId) ?? { series: [], unreadable: [], faults: [] };
      addSeries(found, stored);
      recent.set(artistId, found);
    }
  }
  for (const { series } of recent.values()) {
    for (const [index, one] of series.entries()) {
      series[index] = { ...one, points: one.points.filter(({ date }) => date >= since) };
    }
  }
  return recent;
};
