import type { Db, FindOptions } from 'mongodb';
import { holdsRecent, recentDays, recentPointsOf } from '../../../src/catalogue/movements.ts';
import type { DocumentFault } from '../../../src/domain/document-fault.ts';
import type { RecentPoints } from '../../../src/ports.ts';
import { seriesRules } from '../documents/catalogue-documents.ts';
import { createDocumentReader, membersOf, namedById } from '../documents/collection-reader.ts';
import { describeId } from '../documents/document-id.ts';
import type { ShareDays } from '../documents/intern.ts';
import { mapParsed } from '../documents/parse-result.ts';
import { readBson, readInBatches } from './batches.ts';

/**
 * Documents parsed per turn of the event loop. Each takes a fraction of a millisecond, or a whole
 * one before the JIT compiles.
 */
export const parseBatchSize = 10;

/** The recent points of an artist's own series, and the faults of their documents. */
export interface RecentSeries {
  readonly series: readonly RecentPoints[];
  readonly faults: readonly DocumentFault[];
}

/**
 * Points read first from the end of a series: 35 days, plus ten points that may be forecasts,
 * estimates or repetitions.
 */
const lastPoints = recentDays + 10;

/** Reads series of artists. `cut`: the artists that need more points. */
const readSeries = async (
  db: Db,
  artistIds: readonly string[],
  share: ShareDays,
  { projection }: Pick<FindOptions, 'projection'>,
) => {
  const cut = new Set<string>();
  const { collection, identify } = seriesRules;
  const read = (document: unknown) => {
    const { points, artist_id } = membersOf(document);
    const isSliced = Array.isArray(points) && points.length >= lastPoints;
    return mapParsed(seriesRules.read(document), (series) => {
      if (isSliced && !holdsRecent(series)) cut.add(describeId(artist_id));
      return recentPointsOf(series, share);
    });
  };
  const rules = { collection, identify, read, keyOf: ({ metric }: RecentPoints) => metric };
  const readers = new Map(
    artistIds.map((id) => [id, createDocumentReader(rules, () => undefined)]),
  );
  const byArtist = { artist_id: { $in: artistIds }, song_id: null };
  for await (const documents of readInBatches(db.collection('history'), byArtist, parseBatchSize, {
    ...(projection && { projection }),
  })) {
    for (const document of documents.map(readBson))
      readers.get(describeId(document['artist_id']))?.add(namedById(document));
  }
  const recent = [...readers].map(([artistId, reader]): [string, RecentSeries] => {
    const { models, faults } = reader.result();
    return [artistId, { series: models, faults }];
  });
  return { recent, cut };
};

/**
 * Reads the recent points of artists' own series, by artist. Reads the last 45 points; if they lack
 * the 35 days up to the newest trusted point, reads all. A series that cannot be read is left out
 * (decisions, "Freshness and caching").
 */
export const readRecent = async (
  db: Db,
  artistIds: readonly string[],
  share: ShareDays,
): Promise<ReadonlyMap<string, RecentSeries>> => {
  if (artistIds.length === 0) return new Map();
  const projection = { artist_id: 1, metric: 1, points: { $slice: -lastPoints } };
  const { recent, cut } = await readSeries(db, artistIds, share, { projection });
  const whole = cut.size === 0 ? [] : (await readSeries(db, [...cut], share, {})).recent;
  return new Map([...recent, ...whole]);
};
