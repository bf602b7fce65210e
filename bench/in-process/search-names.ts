import { generateArtist } from '../catalogue/artists.ts';
import { quantile } from '../statistics.ts';
import { openLoader } from './catalogue.ts';

/** Times name searches in the built catalogue, without HTTP: a process of its own, on the core of what is measured. */
const [, , count = ''] = process.argv;
const artists = Number(count);
const last = generateArtist(artists - 1);

/** What is sought, beside `limit` 50. */
const searches = [
  { what: 'absent', filters: { name: 'no such name' } },
  { what: 'absent but for its last letter', filters: { name: 'golden harbour 1x' } },
  { what: 'rare, the last of the list', filters: { name: String(last['name']) } },
  { what: 'rare, outside Latin-1', filters: { name: '月見坂 4' } },
  { what: 'common', filters: { name: 'night' } },
  { what: 'a single letter', filters: { name: 'e' } },
  { what: 'common, in a tier that nobody has', filters: { name: 'night', tier: 'no such tier' } },
];

const { load } = await openLoader(artists, 0);
const catalogue = await load(undefined);
const asker = { scopes: new Set<never>(), today: '2025-12-31' };
const rounds = 300;

const timed = searches.map(({ what, filters }) => {
  const times: number[] = [];
  let found = 0;
  for (let round = 0; round < rounds; round++) {
    const begin = performance.now();
    found = catalogue.artists({ filters, limit: 50 }, asker).artists.length;
    times.push(performance.now() - begin);
  }
  return { what, found, median: quantile(times, 0.5), p99: quantile(times, 0.99) };
});

export type Search = (typeof timed)[number];

process.send?.(timed);
process.disconnect?.();
