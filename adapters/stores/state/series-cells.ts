import type { Day } from '../../../src/domain/day.ts';
import type { HistoryPoint, Series } from '../../../src/domain/model.ts';

/** The recent points of one metric: number of the list of days, values, and the flags as one digit a point (`0`: no point has one). */
export type SeriesCells = readonly [
  artistId: string,
  metric: Series['metric'],
  days: number,
  values: readonly number[],
  flags: string,
];

const flagsOf = ({ estimated, stale, terminal }: HistoryPoint): number =>
  (estimated ? 1 : 0) + (stale ? 2 : 0) + (terminal ? 4 : 0);

const noFlags = /^0*$/;

/** Encodes series; most series of a catalogue have the same days, which are written once. */
export interface SeriesEncoder {
  encode(series: Series): SeriesCells;
  /** Lists of days that no earlier call returned, in the order of their numbers. To be written before the series. */
  newLists(): readonly (readonly Day[])[];
}

/** Creates an encoder of the series of one copy. */
export const createSeriesEncoder = (): SeriesEncoder => {
  /** Series with the list that their days have, by first day and length; of lists that differ within, one is shared. */
  const lists = new Map<string, { readonly points: readonly HistoryPoint[]; readonly number: number }>();
  let count = 0;
  let unwritten: (readonly Day[])[] = [];

  const numberOfDays = (points: readonly HistoryPoint[]): number => {
    const key = `${points[0]?.date} ${points.length}`;
    const known = lists.get(key);
    if (known?.points.every(({ date }, index) => date === points[index]?.date)) return known.number;
    const number = count++;
    if (known === undefined) lists.set(key, { points, number });
    unwritten.push(points.map(({ date }) => date));
    return number;
  };

  return {
    encode({ artistId, metric, points }) {
      const flags = points.map(flagsOf).join('');
      const values = points.map(({ value }) => value);
      return [artistId, metric, numberOfDays(points), values, noFlags.test(flags) ? '0' : flags];
    },
    newLists() {
      const lists = unwritten;
      unwritten = [];
      return lists;
    },
  };
};

/** Decodes series with the lists of days of their copy. */
export const decodeSeries = (
  [artistId, metric, days, values, flags]: SeriesCells,
  lists: readonly (readonly Day[])[],
): Series => {
  const points = values.map((value, index) => {
    const bits = Number(flags[index] ?? 0);
    return {
      date: lists[days]?.[index] ?? '',
      value,
      estimated: (bits & 1) !== 0,
      stale: (bits & 2) !== 0,
      terminal: (bits & 4) !== 0,
    };
  });
  return { artistId, songId: undefined, metric, points };
};
