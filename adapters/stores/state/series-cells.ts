import type { Day } from '../../../src/domain/day.ts';
import type { Artist } from '../../../src/domain/model.ts';
import type { ListedArtist, RecentPoints } from '../../../src/ports.ts';
import type { ShareDays } from '../documents/intern.ts';

/** The recent points of one metric: index of the list of days, and values. */
type SeriesCells = readonly [metric: RecentPoints['metric'], days: number, values: readonly number[]];

/** An artist's series. Most have the same days, which are written once. */
type RecentCells = readonly [days: readonly (readonly Day[])[], series: readonly SeriesCells[]];

/** The text of an artist's series in a copy. */
export const encodeRecent = (recent: readonly RecentPoints[]): string => {
  const lists = [...new Set(recent.map(({ days }) => days))];
  const cells: RecentCells = [
    lists,
    recent.map(({ metric, days, values }): SeriesCells => [metric, lists.indexOf(days), values]),
  ];
  return JSON.stringify(cells);
};

/** Reads what `encodeRecent` wrote. */
const decodeRecent = (text: string, share: ShareDays): RecentPoints[] => {
  const [lists, series]: RecentCells = JSON.parse(text); // the checksum and the format's version say that they are
  const shared = lists.map(share);
  return series.map(([metric, days, values]) => ({ metric, days: shared[days] ?? [], values }));
};

/**
 * An artist of a copy. Its recent points are decoded when they are first read: the points of 10,000 artists take longer than
 * everything else of a start, and a first page shows none.
 */
export class RecalledArtist implements ListedArtist {
  readonly artist: Artist;
  declare readonly content?: string; // absent, not undefined, without one
  #recent: string | readonly RecentPoints[];
  readonly #share: ShareDays;

  /** @param recent the text of its series */
  constructor(artist: Artist, content: string | undefined, recent: string, share: ShareDays) {
    this.artist = artist;
    if (content !== undefined) this.content = content;
    this.#recent = recent;
    this.#share = share;
  }

  get recent(): readonly RecentPoints[] {
    if (typeof this.#recent === 'string') this.#recent = decodeRecent(this.#recent, this.#share);
    return this.#recent;
  }
}
