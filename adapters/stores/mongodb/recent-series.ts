import type { Db } from 'mongodb';
import { recentDays } from '../../../src/catalogue/movements.ts';
import type { Day } from '../../../src/domain/day.ts';
import type { DocumentFault } from '../../../src/domain/document-fault.ts';
import type { Series } from '../../../src/domain/model.ts';
import { type CollectionRules, createDocumentReader, namedById } from '../documents/collection-reader.ts';
import { describeId } from '../documents/document-id.ts';
import { mapParsed } from '../documents/parse-result.ts';
import { readBson, readInBatches } from './batches.ts';

/** Documents parsed in one turn of the event loop: each takes a fraction of a millisecond, a whole one before the JIT. */
export const parseBatchSize = 10;

/** An artist's own series, and what is wrong with their documents. */
export interface RecentSeries {
  readonly series: readonly Series[];
  readonly faults: readonly DocumentFault[];
}

/**
 * Reads the artists' own points since a day, by artist. The last 40 points of a daily series include the last 35 days.
 *
 * @param former the series of the last load, by artist: all artists that are read
 */
export const readRecent = async (
  db: Db,
  former: ReadonlyMap<string, readonly Series[]>,
  since: Day,
  seriesRules: CollectionRules<Series>,
): Promise<ReadonlyMap<string, RecentSeries>> => {
  if (former.size === 0) return new Map();
  const trim = (series: Series) => ({ ...series, points: series.points.filter(({ date }) => date >= since) });
  // Trimmed as they are read: 10,000 artists have two million points.
  const rules = { ...seriesRules, read: (document: unknown) => mapParsed(seriesRules.read(document), trim) };
  const readers = new Map(
    [...former].map(([artistId, series]) => {
      const lastGoodOf = (key: string) => series.find((one) => seriesRules.keyOf(one) === key);
      return [artistId, createDocumentReader(rules, lastGoodOf)] as const;
    }),
  );
  const byArtist = { artist_id: { $in: [...former.keys()] }, song_id: null };
  const projection = { artist_id: 1, metric: 1, points: { $slice: -(recentDays + 5) } };
  for await (const documents of readInBatches(db.collection('history'), byArtist, parseBatchSize, { projection })) {
    for (const document of documents.map(readBson))
      readers.get(describeId(document['artist_id']))?.add(namedById(document));
  }
  const recent = [...readers].map(([artistId, reader]): [string, RecentSeries] => {
    const { models, faults } = reader.result();
    const isTrimmed = ({ points }: Series) => (points[0]?.date ?? since) >= since; // not one kept from a day before
    return [artistId, { series: models.map((one) => (isTrimmed(one) ? one : trim(one))), faults }];
  });
  return new Map(recent);
};
