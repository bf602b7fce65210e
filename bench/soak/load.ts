import { bearer } from '../answers.ts';
import type { Bench } from '../bench.ts';
import type { ArtistDocument } from '../catalogue/artists.ts';
import { generateHistory, generateOwnHistory, type SeriesDocument } from '../catalogue/histories.ts';
import { type Keys, makeKeys } from '../catalogue/keys.ts';
import { createRandom } from '../catalogue/random.ts';
import type { Request } from '../load/messages.ts';

const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));

const historyDays = 60;
const growthPerDay = 1.05;

/** Series of an artist up to now: every third grows by 5 % a day, which is a spike over every window of four days and more. */
export const seriesOf = (artist: ArtistDocument, index: number): SeriesDocument[] => {
  const now = Date.now();
  if (index % 3 !== 0) return index < 900 ? generateHistory(artist, historyDays) : [];
  return generateOwnHistory(artist, historyDays, now).map((series) => ({
    ...series,
    points: series.points.map(({ date }, day) => ({ date, value: Math.round(10_000 * growthPerDay ** day) })),
  }));
};

/** Keys of one round. Each is used in the next round, and removed in the one after. */
export const issueKeys = (count: number): Promise<Keys[]> => Promise.all(times(count, makeKeys));

/** What one round asks: small gzip lists that nobody asked before, pages, details, every window of spikes, errors. */
export const mixedRequests = (bench: Bench, artists: readonly ArtistDocument[], issued: readonly Keys[]): Request[] => {
  const random = createRandom(Math.floor(Math.random() * 2 ** 31));
  const get = (key: string, path: string, status = 200): Request => ({
    path: `/api/v1${path}`,
    headers: { ...bearer(key), 'Accept-Encoding': random.chance(0.8) ? 'gzip' : 'identity' },
    status,
  });
  const { current, variant, limited } = bench.keys;
  const requests = [
    ...times(400, () => get(current, `/artists?name=${random.below(artists.length)}&limit=${1 + random.below(100)}`)),
    ...times(60, () =>
      get(limited, `/artists?limit=${1 + random.below(100)}&added_since=2025-0${1 + random.below(9)}-01`),
    ),
    ...times(60, () => get(variant, `/artists?limit=${1 + random.below(200)}&tier=watch`)),
    ...times(120, () => get(current, `/artists/${artists[random.below(900)]?.id}`)),
    ...times(30, (index) => get(current, `/spikes?days=${index + 1}`)),
    ...times(30, (index) => get(variant, `/spikes?days=${index + 1}`)),
    get(current, '/signings'),
    get(variant, '/signings'),
    ...issued.flatMap((keys) => [get(keys.current, '/artists?limit=1'), get(keys.variant, '/artists?limit=1')]),
    ...times(20, () => get(current, `/artists/nobody${random.below(1e6)}`, 404)),
    ...times(20, () => get(`aik_${random.below(1e6)}`, '/artists', 401)),
  ];
  return requests.sort(() => random.below(3) - 1);
};
