import type { Day } from '../../../src/domain/day.ts';
import type { Artist, HistoryPoint, Series } from '../../../src/domain/model.ts';
import type { ListedArtist } from '../../../src/ports.ts';

/** The recent points of one metric: index of the list of days, values, and the flags as one digit a point (`0`: no point has one). */
type SeriesCells = readonly [
  artistId: string,
  metric: Series['metric'],
  days: number,
  values: readonly number[],
  flags: string,
];

/** An artist's series as columns, a third of the bytes of their points. Most have the same days, which are written once. */
type RecentCells = readonly [days: readonly (readonly Day[])[], series: readonly SeriesCells[]];

const flagsOf = ({ estimated, stale, terminal }: HistoryPoint): number =>
  (estimated ? 1 : 0) + (stale ? 2 : 0) + (terminal ? 4 : 0);

const noFlags = /^0*$/;

/** The text of an artist's series in a copy. */
export const encodeRecent = (recent: readonly Series[]): string => {
  const lists: string[] = [];
  const indexOf = (days: string): number => (lists.includes(days) ? lists.indexOf(days) : lists.push(days) - 1);
  const cells = recent.map(({ artistId, metric, points }): SeriesCells => {
    const flags = points.map(flagsOf).join('');
    const days = indexOf(JSON.stringify(points.map(({ date }) => date)));
    return [artistId, metric, days, points.map(({ value }) => value), noFlags.test(flags) ? '0' : flags];
  });
  return `[[${lists.join()}],${JSON.stringify(cells)}]`;
};

/** Reads what `encodeRecent` wrote. */
const decodeRecent = (text: string): Series[] => {
  const [lists, series]: RecentCells = JSON.parse(text); // the checksum and the format's version say that they are
  return series.map(([artistId, metric, days, values, flags]) => {
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
  });
};

/**
 * An artist of a copy. Its recent points are decoded when they are first read: the points of 10,000 artists take longer than
 * everything else of a start, and a first page shows none.
 */
export class RecalledArtist implements ListedArtist {
  readonly artist: Artist;
  declare readonly content?: string; // absent, not undefined, without one
  #recent: string | readonly Series[];

  /** @param recent the text of its series */
  constructor(artist: Artist, content: string | undefined, recent: string) {
    this.artist = artist;
    if (content !== undefined) this.content = content;
    this.#recent = recent;
  }

  get recent(): readonly Series[] {
    if (typeof this.#recent === 'string') this.#recent = decodeRecent(this.#recent);
    return this.#recent;
  }
}
