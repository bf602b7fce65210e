import { median } from '../statistics.ts';
import { openLoader } from './catalogue.ts';

/**
 * Times the first questions after a refresh, in the built catalogue without HTTP: what the caches of the catalogue are for.
 * A process of its own, told the number of artists. Sends processor times in milliseconds.
 */
const [, , count = ''] = process.argv;
const recentDays = 40;
const rounds = 15;
const today = '2025-12-31';

/** Callers to whom different members are shown. */
const viewers = (
  [[], ['editorial:read'], ['signing-notes:read'], ['editorial:read', 'signing-notes:read']] as const
).map((scopes) => ({ scopes: new Set<(typeof scopes)[number]>(scopes), today }));

const taken = new Map<string, number[]>();
const time = async <Result>(what: string, work: () => Result): Promise<Awaited<Result>> => {
  const begin = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(begin);
  taken.set(what, [...(taken.get(what) ?? []), (user + system) / 1000]);
  return result;
};

const { load, change } = await openLoader(Number(count), recentDays);
let catalogue = await time('start', () => load(undefined));
for (let round = 0; round < rounds; round++) {
  change((index) => index % 100 === round);
  globalThis.gc?.();
  catalogue = await time('refresh', () => load(catalogue));
  await time('spikes', () => catalogue.spikes({ days: 3 }, { today, scopes: new Set() }));
  await time('spikes of 4 viewers', () => Promise.all(viewers.map((one) => catalogue.spikes({ days: 3 }, one))));
  await time('signings of 4 viewers', () => viewers.map((viewer) => catalogue.signings(viewer)));
  await time('pages of 100 of 4 viewers', () =>
    viewers.map((viewer) => catalogue.artists({ filters: {}, limit: 100 }, viewer)),
  );
}

process.send?.(Object.fromEntries([...taken].map(([what, times]) => [what, median(times)])));
process.disconnect?.();
