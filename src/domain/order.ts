import type { Day } from './day.ts';
import type { Song, Spike } from './model.ts';

/** The orders of every list, the same in all forms (decisions, "Parameters and contents"). */

/** The sort key of an artist in the list of artists. */
export interface Position {
  readonly dateAdded: Day | undefined;
  readonly id: string;
}

/** By code units, as `Array.prototype.sort` compares texts. */
export const ascending = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

/** Newest first, unknown last. */
const newestFirst = (left: string | undefined, right: string | undefined): number => {
  if (left === right) return 0;
  if (left === undefined) return 1;
  if (right === undefined) return -1;
  return ascending(right, left);
};

/** Orders artists by `dateAdded`, newest first and unknown last, then by id. */
export const compareArtists = (left: Position, right: Position): number =>
  newestFirst(left.dateAdded, right.dateAdded) || ascending(left.id, right.id);

/** Orders songs by `addedAt`, newest first and unknown last, then by id. */
export const compareSongs = (left: Song, right: Song): number =>
  newestFirst(left.addedAt, right.addedAt) || ascending(left.id, right.id);

/** Orders spikes by growth in per cent, then by delta (both descending), then by artist id and metric. */
export const compareSpikes = (left: Spike, right: Spike): number =>
  right.percentChange - left.percentChange ||
  right.delta - left.delta ||
  ascending(left.artistId, right.artistId) ||
  ascending(left.metric, right.metric);
