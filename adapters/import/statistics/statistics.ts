import { daysBetween } from '../../../src/domain/day.ts';
import type { Artist, Series } from '../../../src/domain/model.ts';
import { formatInstant } from '../../../src/domain/quantities.ts';
import type { DocumentStore } from '../../stores/database.ts';
import { parseArtist, parseLabel, parseSeries } from '../../stores/documents/catalogue-documents.ts';
import type { Parsed } from '../../stores/documents/parse-result.ts';
import { unfinishedMark } from '../stored-document.ts';
import { createMissingMembers } from './missing-members.ts';

const maxListedGaps = 5;

interface Range {
  readonly oldest: string | undefined;
  readonly newest: string | undefined;
}

const emptyRange: Range = { oldest: undefined, newest: undefined };

const widen = ({ oldest, newest }: Range, text: string | undefined): Range => {
  if (text === undefined) return { oldest, newest };
  return {
    oldest: oldest === undefined || text < oldest ? text : oldest,
    newest: newest === undefined || text > newest ? text : newest,
  };
};

/** The gaps in a series of daily points, in order: the days of the points around each, and how many are between them. */
export const findGaps = ({ artistId, songId, metric, points }: Series) =>
  points.flatMap(({ date: to }, index) => {
    const from = points[index - 1]?.date;
    const days = from === undefined ? 0 : daysBetween(from, to) - 1;
    return from === undefined || days === 0 ? [] : [{ artist_id: artistId, song_id: songId, metric, from, to, days }];
  });

/** Days between two points of a series that have no point. */
export type Gap = ReturnType<typeof findGaps>[number];

/** Counts documents of a catalogue as they are added. */
export const createStatistics = () => {
  const counts = {
    artists: 0,
    songs: 0,
    series: 0,
    points: 0,
    labels: 0,
    /** Documents that a gateway leaves out because they are not valid. */
    unusable: 0,
    /** Artists that an interrupted import has marked and not yet touched. */
    unfinished: 0,
  };
  const ranges = { added: emptyRange, history: emptyRange, changed: emptyRange };
  const tiers: Record<string, number> = {};
  const missing = createMissingMembers();
  const gaps = { series: 0, days: 0 };
  let widest: Gap[] = [];
  return {
    addArtist(artist: Artist): void {
      counts.artists += 1;
      counts.songs += artist.songs.length;
      const tier = artist.tier ?? 'unknown';
      tiers[tier] = (tiers[tier] ?? 0) + 1;
      ranges.added = widen(ranges.added, artist.dateAdded);
      ranges.changed = widen(ranges.changed, formatInstant(artist.updatedAt));
      missing.add(artist);
    },
    addSeries(series: Series): void {
      counts.series += 1;
      counts.points += series.points.length;
      ranges.history = widen(widen(ranges.history, series.points[0]?.date), series.points.at(-1)?.date);
      const found = findGaps(series);
      if (found.length === 0) return;
      gaps.series += 1;
      gaps.days += found.reduce((sum, { days }) => sum + days, 0);
      widest = [...widest, ...found].toSorted((left, right) => right.days - left.days).slice(0, maxListedGaps);
    },
    count(name: 'labels' | 'unusable' | 'unfinished'): void {
      counts[name] += 1;
    },
    result: () => ({ ...counts, ...ranges, tiers, missing: missing.list(), gaps: { ...gaps, widest } }),
  };
};

/** Counts over a whole catalogue. */
export type Statistics = ReturnType<ReturnType<typeof createStatistics>['result']>;

/** Reads every document of the catalogue, a few at a time, and counts. */
export const collectStatistics = async (documents: DocumentStore): Promise<Statistics> => {
  const statistics = createStatistics();
  const collect = async <Model>(
    collection: string,
    parse: (document: unknown) => Parsed<Model>,
    add: (model: Model) => void,
  ): Promise<void> => {
    for await (const document of documents.find(collection)) {
      if (unfinishedMark in document) statistics.count('unfinished');
      const parsed = parse(document);
      if ('model' in parsed) add(parsed.model);
      else statistics.count('unusable');
    }
  };
  await collect('artists', parseArtist, statistics.addArtist);
  await collect('history', parseSeries, statistics.addSeries);
  await collect('labels', parseLabel, () => statistics.count('labels'));
  return statistics.result();
};
