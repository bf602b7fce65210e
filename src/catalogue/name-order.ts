import type { Artist } from '../domain/model.ts';
import { byCodePoint } from '../domain/order.ts';
import { mergeSorted, type YieldingWork } from '../runtime/cooperative.ts';

interface NamedArtist {
  readonly artist: Artist;
  /** Its name in lower case. */
  readonly key: string;
}

const named = (artist: Artist): NamedArtist => ({ artist, key: artist.name.toLowerCase() });

const compareNamed = (left: NamedArtist, right: NamedArtist): number =>
  byCodePoint(left.key, right.key) || byCodePoint(left.artist.id, right.artist.id);

/** By lower-cased name, code point by code point, then by id. */
export const inNameOrder = (artists: readonly Artist[]): Artist[] =>
  artists
    .map(named)
    .sort(compareNamed)
    .map(({ artist }) => artist);

/** Merges two lists in name order into one in name order. */
export const mergeByName = (artists: readonly Artist[], others: readonly Artist[]): YieldingWork<Artist[]> =>
  mergeSorted(artists, others, (left, right) => compareNamed(named(left), named(right)));
