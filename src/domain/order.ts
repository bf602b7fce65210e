import { forEachYielding, type YieldingWork } from '../runtime/cooperative.ts';
import type { Day } from './day.ts';
import type { Artist, Song, Spike } from './model.ts';

/** The orders of every list, the same in all forms. */

/** Where an artist stands in the list: all that its place depends on. */
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

export const compareArtists = (left: Position, right: Position): number =>
  newestFirst(left.dateAdded, right.dateAdded) || ascending(left.id, right.id);

export const compareSongs = (left: Song, right: Song): number =>
  newestFirst(left.addedAt, right.addedAt) || ascending(left.id, right.id);

export const compareSpikes = (left: Spike, right: Spike): number =>
  right.percentChange - left.percentChange ||
  right.delta - left.delta ||
  ascending(left.artistId, right.artistId) ||
  ascending(left.metric, right.metric);

const surrogate = /[\uD800-\uDFFF]/;

/** Code point by code point, which is the order of the UTF-8 bytes. The order of strings is that one but for surrogates. */
const byCodePoint = (left: string, right: string): number =>
  surrogate.test(left) || surrogate.test(right)
    ? Buffer.compare(Buffer.from(left), Buffer.from(right))
    : ascending(left, right);

interface Named {
  readonly artist: Artist;
  /** Its name in lower case. */
  readonly key: string;
}

const named = (artist: Artist): Named => ({ artist, key: artist.name.toLowerCase() });

const compareNamed = (left: Named, right: Named): number =>
  byCodePoint(left.key, right.key) || ascending(left.artist.id, right.artist.id);

/** By lower-cased name, code point by code point, then by id. */
export const inNameOrder = (artists: readonly Artist[]): Artist[] =>
  artists
    .map(named)
    .sort(compareNamed)
    .map(({ artist }) => artist);

/** Puts artists among others; both are in the order of names, as is what comes of it. */
export function* mergeByName(artists: readonly Artist[], others: readonly Artist[]): YieldingWork<Artist[]> {
  const merged: Artist[] = [];
  const waiting = others.map(named).values();
  let next = waiting.next();
  yield* forEachYielding(artists, (artist) => {
    for (; next.done !== true && compareNamed(next.value, named(artist)) < 0; next = waiting.next()) {
      merged.push(next.value.artist);
    }
    merged.push(artist);
  });
  for (; next.done !== true; next = waiting.next()) merged.push(next.value.artist);
  return merged;
}
