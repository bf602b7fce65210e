import type { Db, Document } from 'mongodb';
import { recentDays } from '../../../src/catalogue/spikes.ts';
import type { Day } from '../../../src/domain/day.ts';
import type { DocumentFault } from '../../../src/domain/document-fault.ts';
import type { Series } from '../../../src/domain/model.ts';
import { parseSeries } from '../documents/catalogue-documents.ts';
import { describeId } from '../documents/document-id.ts';
import { faultOf, partsLeftOut } from '../documents/faults.ts';
import type { DocumentIssue } from '../documents/parse-result.ts';
import { readInBatches } from './batches.ts';

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

/** Adds a document of the collection `history` to the series of its artist; of series of the same metric the first is kept. */
export const addSeries = ({ series, unreadable, faults }: StoredSeries, document: Document): void => {
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
  series.push(model);
  faults.push(...partsLeftOut('history', name, leftOut));
};

/** Reads the artists' own points since a day, by artist. The last 40 points of a daily series include the last 35 days. */
export const readRecent = async (
  db: Db,
  artistIds: readonly string[],
  since: Day,
): Promise<ReadonlyMap<string, StoredSeries>> => {
  const recent = new Map<string, StoredSeries>();
  if (artistIds.length === 0) return recent;
  const batches = readInBatches(
    db.collection('history'),
    { artist_id: { $in: artistIds }, song_id: null },
    parseBatchSize,
    {
      projection: { artist_id: 1, metric: 1, points: { $slice: -(recentDays + 5) } },
    },
  );
  for await (const documents of batches) {
    for (const document of documents) {
      const artistId = describeId(document['artist_id']);
      const found = recent.get(artistId) ?? { series: [], unreadable: [], faults: [] };
      addSeries(found, document);
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
