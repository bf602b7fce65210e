import { forEachYielding, type YieldingWork } from '../runtime/cooperative.ts';
import type { Day } from './day.ts';
import type { Artist, Song, Spike } from './model.ts';

/** The orders of every list, the same in all forms (decisions, "Order, presence, identity"). */

/** The sort key of an artist in the list of artists. */
export interface Position {
  readonly dateAdded: Day | undefined;
  readonly id: string;
}

const ascending = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

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

const surrogate = /[\uD800-\uDFFF]/;

/** Compares by code point, which is the order of the UTF-8 bytes. `<` on strings gives the same order except for surrogates. */
const byCodePoint = (left: string, right: string): number =>
  surrogate.test(left) || surrogate.test(right)
    ? Buffer.compare(Buffer.from(left), Buffer.from(right))
    : ascending(left, right);

interface ArtistWithKey {
  readonly artist: Artist;
  /** The artist's name in lower case. */
  readonly key: string;
}

const withKey = (artist: Artist): ArtistWithKey => ({ artist, key: artist.name.toLowerCase() });

const compareByName = (left: ArtistWithKey, right: ArtistWithKey): number =>
  byCodePoint(left.key, right.key) || ascending(left.artist.id, right.artist.id);

/** Sorts artists by lower-cased name, compared by code point, then by id. */
export const inNameOrder = (artists: readonly Artist[]): Artist[] =>
  artists
    .map(withKey)
    .sort(compareByName)
    .map(({ artist }) => artist);

/** Merges two lists that are in the order of names into one in that order, yielding between steps. */
export function* mergeByName(artists: readonly Artist[], others: readonly Artist[]): YieldingWork<Artist[]> {
  const merged: Artist[] = [];
  const remaining = others.map(withKey).values();
  let next = remaining.next();
  yield* forEachYielding(artists, (artist) => {
    for (; next.done !== true && compareByName(next.value, withKey(artist)) < 0; next = remaining.next()) {
      merged.push(next.value.artist);
    }
    merged.push(artist);
  });
  for (; next.done !== true; next = remaining.next()) merged.push(next.value.artist);
  return merged;
}
