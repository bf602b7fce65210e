import type { Artist, Song } from '../../../src/domain/model.ts';

/** So many different values of a member are remembered; a member with more begins anew. */
const mostRemembered = 1_000;

/** Gives the first of all values that are equal. Each member has its own, so that equal values have the same shape. */
const createShared = <Value>() => {
  const known = new Map<string, Value>();
  return (value: Value): Value => {
    if (value === undefined) return value;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const first = known.get(text);
    if (first !== undefined) return first;
    if (known.size >= mostRemembered) known.clear();
    known.set(text, value);
    return value;
  };
};

/** An equal artist, of parts that others have too. */
export type Interner = (artist: Artist) => Artist;

/**
 * Has artists share what is the same in many of them: days, countries, rights, where the data comes from. Documents repeat
 * it, and a driver makes every text anew: what was read takes a quarter less memory without the repetitions.
 */
export const createInterner = (): Interner => {
  const genres = createShared<Artist['genres']>();
  const countryCode = createShared<Artist['countryCode']>();
  const dateAdded = createShared<Artist['dateAdded']>();
  const tier = createShared<Artist['tier']>();
  const status = createShared<Artist['status']>();
  const freshness = createShared<Artist['freshness']>();
  const provenance = createShared<Artist['provenance']>();
  const dataQuality = createShared<Artist['dataQuality']>();
  const addedAt = createShared<Song['addedAt']>();
  const rights = createShared<Song['rights']>();

  const shareSong = (song: Song): Song => ({ ...song, addedAt: addedAt(song.addedAt), rights: rights(song.rights) });

  return (artist) => ({
    ...artist,
    genres: genres(artist.genres),
    countryCode: countryCode(artist.countryCode),
    dateAdded: dateAdded(artist.dateAdded),
    tier: tier(artist.tier),
    status: status(artist.status),
    songs: artist.songs.map(shareSong),
    freshness: freshness(artist.freshness),
    provenance: provenance(artist.provenance),
    dataQuality: dataQuality(artist.dataQuality),
  });
};
