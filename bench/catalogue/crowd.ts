import { get, gzipped } from '../answers.ts';
import type { Request } from '../load/messages.ts';
import { type ArtistDocument, dayBefore, generateArtist } from './artists.ts';
import type { Form } from './keys.ts';
import { createRandom, type Random } from './random.ts';
import { adjectives, labels, nouns, tiers } from './words.ts';

/** One artist in thirty spikes. */
export const isSpiking = (index: number): boolean => index % 30 === 0;

/** One artist in twelve has a song on a tracked label, one in twenty is signed. */
export const crowdArtist = (index: number): ArtistDocument => {
  const artist = generateArtist(index);
  const pLineOf = (song: number): string =>
    song === 0 && index % 12 === 0
      ? `℗ 2025 ${labels[index % labels.length]}`
      : '℗ 2025 the artist';
  return {
    ...artist,
    signing: { status: index % 20 === 0 ? 'signed' : 'unsigned' },
    songs: artist.songs.map((song, place) => ({
      ...song,
      rights: { p_line: pLineOf(place), checked_at: '2025-12-20T08:30:00.000Z' },
    })),
  };
};

const upTo = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));

/**
 * 1,400 queries of the current form and 600 of the variant form. Six in seven are lists of artists.
 */
const queriesOf = (artists: readonly ArtistDocument[], pages: readonly string[]) => {
  const names = adjectives.flatMap((adjective) =>
    nouns.map((noun) => encodeURIComponent(`${adjective} ${noun}`)),
  );
  const current = [
    ...pages.slice(0, 200),
    ...names.map((name) => `/api/v1/artists?limit=50&name=${name}`),
    ...tiers.flatMap((tier) =>
      upTo(
        150,
        (index) => `/api/v1/artists?limit=50&tier=${tier}&added_since=${dayBefore(30 + index * 3)}`,
      ),
    ),
    ...upTo(30, (index) => `/api/v1/spikes?days=${index + 1}`),
    '/api/v1/signings',
    ...upTo(169, (index) => `/api/v1/artists/${artists[index * 7]?.id}`),
  ];
  const variant = [
    ...tiers.flatMap((tier) =>
      upTo(130, (index) => `/api/v1/artists?limit=50&tier=${tier}&new=${400 + index * 3}`),
    ),
    ...upTo(30, (index) => `/api/v1/spikes?days=${index + 1}`),
    '/api/v1/signings',
    ...upTo(49, (index) => `/api/v1/artists?id=${artists[index * 11]?._id}`),
  ];
  return [
    ...current.map((path) => ({ form: 'current' as const, path })),
    ...variant.map((path) => ({ form: 'variant' as const, path })),
  ];
};

const shuffle = <Item>(items: readonly Item[], random: Random): Item[] =>
  items
    .map((item) => ({ item, at: random.below(2 ** 31) }))
    .sort((left, right) => left.at - right.at)
    .map(({ item }) => item);

/** Draws indexes by Zipf's law: the n-th query is sent 1/n times as often as the first. */
const createZipf = (count: number, random: Random): (() => number) => {
  let sum = 0;
  const sums = upTo(count, (index) => (sum += 1 / (index + 1)));
  const parts = 2 ** 30;
  return () => {
    const drawn = (random.below(parts) / parts) * sum;
    return sums.findIndex((upToThis) => upToThis > drawn);
  };
};

/** Requests of a run. More would keep the load generator busy with preparing them. */
const draws = 8_000;

/**
 * Requests of a crowd with keys of all organizations. Four in five of the current form accept gzip.
 */
export const crowdRequests = (
  artists: readonly ArtistDocument[],
  pages: readonly string[],
  keys: Readonly<Record<Form, readonly string[]>>,
): readonly Request[] => {
  const random = createRandom(1);
  const queries = shuffle(queriesOf(artists, pages), random);
  const draw = createZipf(queries.length, random);
  return upTo(draws, () => queries[draw()]).flatMap((query) => {
    if (query === undefined) return [];
    const { form, path } = query;
    const request = get(path, random.pick(keys[form]));
    return [form === 'current' && random.chance(0.8) ? gzipped(request) : request];
  });
};
