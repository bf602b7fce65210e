import { readBuilt } from '../built.ts';
import { generateArtist } from '../catalogue/artists.ts';
import { quantile } from '../statistics.ts';

/** Times name searches in the built catalogue, without HTTP: a process of its own, on the core of what is measured. */
const [, , count = ''] = process.argv;
const artists = Number(count);

const openCatalogue = async () => {
  const [{ parseArtist }, { createCatalogueLoader }, { createDisclosure }, { createSpikeFinder }] = await Promise.all([
    readBuilt('adapters/stores/documents/catalogue-documents.js'),
    readBuilt('src/catalogue/loader.js'),
    readBuilt('src/catalogue/disclosure.js'),
    readBuilt('src/catalogue/spikes.js'),
  ]);
  const listed = Array.from({ length: artists }, (_, place) => {
    const parsed = parseArtist(generateArtist(place));
    if ('issue' in parsed) throw new Error(`${parsed.issue.path}: ${parsed.issue.message}`);
    return { artist: parsed.model, recent: [] };
  });
  const source = { load: async () => ({ artists: listed, labels: [], faults: [] }) };
  const parts = {
    histories: { read: async () => ({ series: [] }) },
    disclosure: createDisclosure(),
    spikes: createSpikeFinder({ floor: 1_000, thresholdPercent: 20 }),
  };
  const silent = () => {};
  return createCatalogueLoader(source, parts, { info: silent, warn: silent, error: silent }).load(undefined);
};

const last = generateArtist(artists - 1);

/** What is sought, beside `limit` 50, and which goal it is held to. */
const searches = [
  { what: 'absent', filters: { name: 'no such name' } },
  { what: 'absent but for its last letter', filters: { name: 'golden harbour 1x' } },
  { what: 'rare, the last of the list', filters: { name: String(last['name']) } },
  { what: 'rare, outside Latin-1', filters: { name: '月見坂 4' } },
  { what: 'common', filters: { name: 'night' } },
  { what: 'a single letter', filters: { name: 'e' } },
  { what: 'common, in a tier that nobody has', filters: { name: 'night', tier: 'no such tier' } },
];

const catalogue = await openCatalogue();
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

process.send?.(timed);
process.disconnect?.();
