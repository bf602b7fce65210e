import { get, gzipped } from '../answers.ts';
import type { Bench } from '../bench.ts';
import type { ArtistDocument } from '../catalogue/artists.ts';
import { generateHistory, growingSeries, type SeriesDocument } from '../catalogue/histories.ts';
import type { Keys } from '../catalogue/keys.ts';
import { createRandom } from '../catalogue/random.ts';
import type { Request } from '../load/messages.ts';

/** Series of an artist up to now: every third grows, which is a spike over every window. */
export const seriesOf = (artist: ArtistDocument, index: number): SeriesDocument[] => {
  if (index % 3 === 0) return growingSeries(artist, index, Date.now());
  return index < 900 ? generateHistory(artist, 60) : [];
};

/** What one round asks: small gzip lists that nobody asked before, pages, details, every window of spikes, errors. */
export const mixedRequests = (bench: Bench, artists: readonly ArtistDocument[], issued: readonly Keys[]): Request[] => {
  const random = createRandom(Math.floor(Math.random() * 2 ** 31));
  const ask = (key: string, path: string, status = 200): Request => {
    const request = get(`/api/v1${path}`, key, { status });
    return random.chance(0.8) ? gzipped(request) : request;
  };
  const times = (count: number, make: (index: number) => Request): Request[] =>
    Array.from({ length: count }, (_, index) => make(index));
  const limit = (most: number): string => `limit=${1 + random.below(most)}`;
  const { current, variant, limited } = bench.keys;
  const requests = [
    ...times(400, () => ask(current, `/artists?name=${random.below(artists.length)}&${limit(100)}`)),
    ...times(60, () => ask(limited, `/artists?${limit(100)}&added_since=2025-0${1 + random.below(9)}-01`)),
    ...times(60, () => ask(variant, `/artists?${limit(200)}&tier=watch`)),
    ...times(120, () => ask(current, `/artists/${artists[random.below(900)]?.id}`)),
    ...times(60, (index) => ask(index % 2 === 0 ? current : variant, `/spikes?days=${(index >> 1) + 1}`)),
    ask(current, '/signings'),
    ask(variant, '/signings'),
    ...issued.flatMap((keys) => [ask(keys.current, '/artists?limit=1'), ask(keys.variant, '/artists?limit=1')]),
    ...times(20, () => ask(current, `/artists/nobody${random.below(1e6)}`, 404)),
    ...times(20, () => ask(`aik_${random.below(1e6)}`, '/artists', 401)),
  ];
  return requests.sort(() => random.below(3) - 1);
};
