import type { Day } from '../../../src/domain/day.ts';
import type { Artist, Song } from '../../../src/domain/model.ts';

/**
 * Distinct values per member. A member with more starts over, which costs sharing but bounds the
 * memory.
 */
const maxValues = 1_000;

/**
 * Returns the first of equal values. Each member has its own, so that equal texts are values of the
 * same type.
 */
const createValueInterner = <Value>() => {
  const known = new Map<string, Value>();
  return (value: Value): Value => {
    if (value === undefined) return value;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const first = known.get(text);
    if (first !== undefined) return first;
    if (known.size >= maxValues) known.clear();
    known.set(text, value);
    return value;
  };
};

/** Returns an equal model that shares these members with other models. */
const createMemberInterner = <Model extends object>(...names: readonly (keyof Model)[]) => {
  const interners = names.map((name) => [name, createValueInterner<Model[keyof Model]>()] as const);
  return (model: Model): Model => {
    const shared = { ...model };
    for (const [name, intern] of interners) shared[name] = intern(shared[name]);
    return shared;
  };
};

/** Returns the first of equal lists of days, which are the same in most series. */
export type ShareDays = (days: readonly Day[]) => readonly Day[];

export const createDaysInterner = (): ShareDays => createValueInterner<readonly Day[]>();

/** Returns an equal artist that shares equal members with other artists. */
export type Interner = (artist: Artist) => Artist;

/**
 * Creates an interner for the members that many artists repeat: days, countries, rights,
 * provenance. Parsing makes every text anew; sharing them takes a quarter off the memory of the
 * catalogue.
 */
export const createInterner = (): Interner => {
  const internSong = createMemberInterner<Song>('addedAt', 'rights');
  const internArtist = createMemberInterner<Artist>(
    'genres',
    'countryCode',
    'dateAdded',
    'tier',
    'status',
    'freshness',
    'provenance',
    'dataQuality',
  );
  return (artist) => internArtist({ ...artist, songs: artist.songs.map(internSong) });
};
