import { readBuilt } from '../built.ts';
import { generateArtist } from '../catalogue/artists.ts';
import { generateOwnHistory } from '../catalogue/histories.ts';
import { median } from '../statistics.ts';

/**
 * Times the first questions after a refresh, in the built catalogue without HTTP: what the caches of the catalogue are for.
 * A process of its own, told the package's folder and the number of artists.
 */
const [, , folder = '', count = ''] = process.argv;
const artists = Number(count);

const [{ parseArtist, parseSeries }, { createCatalogueLoader }, { createDisclosure }, { createSpikeFinder }] =
  await Promise.all([
    readBuilt('adapters/stores/documents/catalogue-documents.js', folder),
    readBuilt('src/catalogue/loader.js', folder),
    readBuilt('src/catalogue/disclosure.js', folder),
    readBuilt('src/catalogue/spikes.js', folder),
  ]);

const recentDays = 40;

const read = (index: number) => {
  const document = generateArtist(index);
  const parsed = parseArtist(document);
  if ('issue' in parsed) throw new Error(parsed.issue.message);
  const recent = generateOwnHistory(document, recentDays).map((series) => {
    const result = parseSeries(series);
    if ('issue' in result) throw new Error(result.issue.message);
    return result.model;
  });
  return { artist: parsed.model, recent };
};

const labels = [{ name: 'Northern Sound', aliases: [] }];
let listed = Array.from({ length: artists }, (_, index) => read(index));
const source = { load: async () => ({ artists: listed, labels, faults: [] }) };
const silent = () => {};
const { load } = createCatalogueLoader(
  source,
  {
    histories: { read: async () => ({ series: [] }) },
    disclosure: createDisclosure(),
    spikes: createSpikeFinder({ floor: 1_000, thresholdPercent: 20 }),
  },
  { info: silent, warn: silent, error: silent },
);

const today = '2025-12-31';
/** Callers to whom different members are shown. */
const viewers = (
  [[], ['editorial:read'], ['signing-notes:read'], ['editorial:read', 'signing-notes:read']] as const
).map((scopes) => ({ scopes: new Set<(typeof scopes)[number]>(scopes), today }));

const taken = new Map<string, number[]>();
const time = async (what: string, work: () => unknown): Promise<void> => {
  const begin = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(begin);
  taken.set(what, [...(taken.get(what) ?? []), (user + system) / 1000]);
};

const startBegin = process.cpuUsage();
let catalogue = await load(undefined);
const start = process.cpuUsage(startBegin);
const rounds = 15;
for (let round = 0; round < rounds; round++) {
  listed = listed.map((one, index) => (index % 100 === round ? read(index) : one));
  globalThis.gc?.();
  await time('refresh', async () => {
    catalogue = await load(catalogue);
  });
  await time('spikes', () => catalogue.spikes({ days: 3 }, { today, scopes: new Set() }).spikes);
  await time('spikes of 4 viewers', () => viewers.map((viewer) => catalogue.spikes({ days: 3 }, viewer).spikes));
  await time('signings of 4 viewers', () => viewers.map((viewer) => catalogue.signings(viewer)));
  await time('pages of 100 of 4 viewers', () =>
    viewers.map((viewer) => catalogue.artists({ filters: {}, limit: 100 }, viewer)),
  );
}

process.send?.({
  start: (start.user + start.system) / 1000,
  ...Object.fromEntries([...taken].map(([what, measured]) => [what, median(measured)])),
});
process.disconnect?.();
