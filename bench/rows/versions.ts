import { recordPages, recordRequests, requestsFor, revalidationsOf } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { dayBefore, generateArtist } from '../catalogue/artists.ts';
import { type Comparison, compare, type Subject } from '../load/compare.ts';
import type { Request } from '../load/messages.ts';
import { assertKnown } from '../options.ts';
import { preloading, type Settings } from '../process/gateway.ts';
import { startModule } from '../process/module.ts';
import { type Line, line, type Row } from '../row.ts';
import { median } from '../statistics.ts';
import { pagesInRotation, variantPages } from './gateways.ts';

/** More questions than answers are cached: every one is asked anew, of the same artists. */
const newQuestions = Array.from(
  { length: 600 },
  (_, index) => `/api/v1/artists?limit=50&added_since=${dayBefore(500 + index)}`,
);

const compressed = ({ path, headers, status }: Request): Request => ({
  path,
  status,
  headers: { ...headers, 'Accept-Encoding': 'gzip' },
});

type KindOfRequest = readonly [name: string, record: () => Promise<readonly Request[]>];

/** The requests by which two gateways are compared, by the name that `--only` gives them; recorded when their turn comes. */
const kindsOfRequests = ({ keys }: Bench, url: string): readonly KindOfRequest[] => {
  const recorded = () => recordPages(url, keys.current, { max: pagesInRotation });
  const page = async () => requestsFor(await recorded(), keys.current);
  const history = () => recordRequests(url, [`/api/v1/artists/${generateArtist(0).id}`], keys.current);
  return [
    ['page', page],
    ['variant', () => recordRequests(url, variantPages, keys.variant)],
    ['gzip', async () => (await page()).map(compressed)],
    ['not-modified', async () => revalidationsOf(await recorded(), keys.current)],
    ['new-answers', () => recordRequests(url, newQuestions, keys.limited)],
    ['history', history],
    ['history-gzip', async () => (await history()).map(compressed)],
  ];
};

/** A gateway that is compared with others. */
interface Version {
  readonly name: string;
  /** The folder of its package; by default this checkout. */
  readonly folder?: string;
  readonly settings?: Settings;
}

/** Neither the catalogue nor the keys are loaded again while versions are compared. */
const noReload = { CATALOGUE_REFRESH_SECONDS: '800', KEYS_REFRESH_SECONDS: '200' };

const startVersion = async (bench: Bench, version: Version) => {
  const { folder, settings } = version;
  return { ...version, gateway: await bench.embedded({ ...noReload, ...settings }, { folder }) };
};

type Running = Awaited<ReturnType<typeof startVersion>>;

const isChosen = ({ options: { only } }: Bench, kind: string): boolean => only.length === 0 || only.includes(kind);

/** What else than requests `--without` compares. */
const refresh = 'refresh';

const lineOf = (kind: string, { subject, base, ratio, cpuSpread }: Comparison): Line => {
  const both = (figure: 'cpuUs' | 'redisUs'): string =>
    `${subject.median(figure).toFixed(1)} µs against ${base.median(figure).toFixed(1)} µs`;
  const busy = [subject, base].map(({ median: of }) => Math.round(of('busy') * 100)).join(' and ');
  const notes = [
    `${both('cpuUs')}; interquartile range of the rounds ${cpuSpread.toFixed(3)}`,
    `requests in the same time: ${ratio('rate').toFixed(3)}×; busy ${busy} %`,
    `Redis: ${both('redisUs')}`,
  ];
  const what = `${kind}, ${subject.name}: processor time, against ${base.name}`;
  return { ...line(what, ratio('cpuUs'), '×', {}, ...notes), digits: 3 };
};

const heldLine = async ({ name, gateway }: Running): Promise<Line> => ({
  what: `${name}: start, memory`,
  figure: `${(gateway.startCpuMs / 1000).toFixed(2)} s of processor until ready, ${(await gateway.usedMiB()).toFixed(1)} MiB in use in the end`,
});

/** Lets other versions take turns with a base, for each kind of request. */
const compareVersions = async (bench: Bench, base: Version, others: readonly Version[]): Promise<Line[]> => {
  const running = await startVersion(bench, base);
  const subjects: Running[] = [];
  for (const other of others) subjects.push(await startVersion(bench, other));
  const kinds = kindsOfRequests(bench, running.gateway.url);
  assertKnown(bench.options.only, [...kinds.map(([name]) => name), refresh]);
  const lines: Line[] = [];
  for (const [kind, record] of kinds) {
    if (!isChosen(bench, kind)) continue;
    const requests = await record();
    const subjectOf = ({ name, gateway }: Running): Subject => ({ ...gateway, name, requests });
    for (const one of subjects) lines.push(lineOf(kind, await compare(bench, subjectOf(one), subjectOf(running))));
  }
  for (const one of [running, ...subjects]) lines.push(await heldLine(one));
  return lines;
};

const refreshRuns = 3;

/** Times the first questions after a refresh, without HTTP. */
const refreshLine = async ({ artists }: Bench, { name, settings = {} }: Version): Promise<Line> => {
  const runs: Readonly<Record<string, number>>[] = [];
  while (runs.length < refreshRuns)
    runs.push(await startModule('in-process/refresh.js', [String(artists)], { env: settings }).next());
  const figures = Object.keys(runs[0] ?? {}).map(
    (what) => `${what} ${median(runs.map((run) => run[what] ?? Number.NaN)).toFixed(2)} ms`,
  );
  return { what: `after 1 % of ${artists} artists changed, ${name}`, figure: figures.join(', ') };
};

/**
 * `--without NAME,NAME`: gateways without one cache each take turns with the gateway as it is, and so does a second gateway
 * as it is, whose ratio shows the error.
 */
export const withoutCaches =
  (names: readonly string[]): Row =>
  async (bench) => {
    const leavingOut = (cache: string): Settings => ({ ...preloading('without/preload.js'), BENCH_WITHOUT: cache });
    const base = { name: 'the gateway as it is', settings: leavingOut('') };
    const same = { ...base, name: 'the same (error)' };
    const others = names.map((cache) => ({ name: `without ${cache}`, settings: leavingOut(cache) }));
    const lines = await compareVersions(bench, base, [same, ...others]);
    if (!isChosen(bench, refresh)) return lines;
    for (const version of [base, ...others]) lines.push(await refreshLine(bench, version));
    return lines;
  };

/** `--against FOLDER`: this gateway takes turns with another one, and so does a second of the other, whose ratio shows the error. */
export const againstPackage =
  (folder: string): Row =>
  (bench) => {
    const again = { name: 'the other again (error)', folder };
    return compareVersions(bench, { name: 'the other', folder }, [again, { name: 'this' }]);
  };
