import type { Db } from 'mongodb';
import { recentDays, recentPointsOf } from '../../../src/catalogue/movements.ts';
import type { DocumentFault } from '../../../src/domain/document-fault.ts';
import type { RecentPoints } from '../../../src/ports.ts';
import { seriesRules } from '../documents/catalogue-documents.ts';
import { createDocumentReader, namedById } from '../documents/collection-reader.ts';
import { describeId } from '../documents/document-id.ts';
import type { ShareDays } from '../documents/intern.ts';
import { mapParsed } from '../documents/parse-result.ts';
import { readBson, readInBatches } from './batches.ts';

/**
 * Documents parsed in one turn of the event loop: each takes a fraction of a millisecond, a whole
 * one before the JIT.
 */
export const parseBatchSize = 10;

/** The recent points of an artist's own series, and what is wrong with their documents. */
export interface RecentSeries {
  readonly series: readonly RecentPoints[];
  readonly faults: readonly DocumentFault[];
}

/**
 * Reads the recent points of artists' own series, by artist. The last 40 points of a daily series
 * include its last 35 days. A series that cannot be read is left out (decisions, "Freshness and
 * caching").
 */
export const readRecent = async (
  db: Db,
  artistIds: readonly string[],
  share: ShareDays,
): Promise<ReadonlyMap<string, RecentSeries>> => {
  if (artistIds.length === 0) return new Map();
  const { collection, identify } = seriesRules;
  const read = (document: unknown) =>
    mapParsed(seriesRules.read(document), (series) => recentPointsOf(series, share));
  const rules = { collection, identify, read, keyOf: ({ metric }: RecentPoints) => metric };
  const readers = new Map(
    artistIds.map((id) => [id, createDocumentReader(rules, () => undefined)]),
  );
  const byArtist = { artist_id: { $in: artistIds }, song_id: null };
  const projection = { artist_id: 1, metric: 1, points: { $slice: -(recentDays + 5) } };
  for await (const documents of readInBatches(db.collection('history'), byArtist, parseBatchSize, {
    projection,
  })) {
    for (const document of documents.map(readBson))
      readers.get(describeId(document['artist_id']))?.add(namedById(document));
  }
  const recent = [...readers].map(([artistId, reader]): [string, RecentSeries] => {
    const { models, faults } = reader.result();
    return [artistId, { series: models, faults }];
  });
  return new Map(recent);
};
