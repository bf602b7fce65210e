import type { Day } from './day.ts';
import type { Song } from './model.ts';
import type { Signing, Spike } from './signals.ts';

// The orders of every list, the same in all forms (decisions, "Parameters and contents").

/** The sort key of an artist in the list of artists. */
export interface Position {
  readonly dateAdded: Day | undefined;
  readonly id: string;
}

const surrogate = /[\uD800-\uDFFF]/;

/**
 * Orders texts by code point, which is the order of their UTF-8 bytes. JavaScript's own order
 * differs for surrogates.
 */
export const byCodePoint = (left: string, right: string): number => {
  if (left === right) return 0;
  if (surrogate.test(left) || surrogate.test(right))
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  return left < right ? -1 : 1;
};

/** Newest first, unknown last. */
const newestFirst = (left: string | undefined, right: string | undefined): number => {
  if (left === right) return 0;
  if (left === undefined) return 1;
  if (right === undefined) return -1;
  return byCodePoint(right, left); // `addedAt` may be any text
};

/** Orders artists by `dateAdded`, newest first and unknown last, then by id. */
export const compareArtists = (left: Position, right: Position): number =>
  newestFirst(left.dateAdded, right.dateAdded) || byCodePoint(left.id, right.id);

type SongSortKey = Pick<Song, 'addedAt' | 'id'>;

/** Orders songs by `addedAt`, newest first and unknown last, then by id. */
export const compareSongs = (left: SongSortKey, right: SongSortKey): number =>
  newestFirst(left.addedAt, right.addedAt) || byCodePoint(left.id, right.id);

type SpikeSortKey = Pick<Spike, 'percentChange' | 'delta' | 'artistId' | 'metric'>;

/**
 * Orders spikes by growth in percent, then by delta (both descending), then by artist id and
 * metric.
 */
export const compareSpikes = (left: SpikeSortKey, right: SpikeSortKey): number =>
  right.percentChange - left.percentChange ||
  right.delta - left.delta ||
  byCodePoint(left.artistId, right.artistId) ||
  byCodePoint(left.metric, right.metric);

/** Orders signings by the artist's name in lower case, then by artist id. */
export const compareSignings = (left: Signing, right: Signing): number =>
  byCodePoint(left.artistName.toLowerCase(), right.artistName.toLowerCase()) ||
  byCodePoint(left.artistId, right.artistId);

/**
 * Binary search: the first index of a sorted list whose item satisfies `holds`; the length if there
 * is none.
 */
export const firstWhere = <Item>(
  items: ArrayLike<Item>,
  holds: (item: Item) => boolean,
): number => {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && holds(item)) high = middle;
    else low = middle + 1;
  }
  return low;
};

/** Orders names of labels: in lower case by code point, then unchanged. */
export const compareLabelNames = (left: string, right: string): number =>
  byCodePoint(left.toLowerCase(), right.toLowerCase()) || byCodePoint(left, right);

/** Sorts names of labels alphabetically, without repetitions. */
export const orderLabels = (names: readonly string[]): string[] =>
  [...new Set(names)].sort(compareLabelNames);
