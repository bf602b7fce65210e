import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { recordPages, recordRequests, requestsFor, revalidationsOf } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { dayBefore, generateArtist } from '../catalogue/artists.ts';
import { type Comparison, compare, type Subject } from '../load/compare.ts';
import type { Request } from '../load/messages.ts';
import { assertKnown, type Options } from '../options.ts';
import type { Settings, Variation } from '../process/gateway.ts';
import { type Line, line, type Row } from '../row.ts';
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
interface Version extends Variation {
  readonly name: string;
  readonly settings?: Settings;
}

/** Neither the catalogue nor the keys are loaded again while versions are compared. */
const noReload = { CATALOGUE_REFRESH_SECONDS: '800', KEYS_REFRESH_SECONDS: '200' };

const startVersion = async (bench: Bench, version: Version) => {
  const { name, settings, ...variation } = version;
  return { name, gateway: await bench.embedded({ ...noReload, ...settings }, variation) };
};

type Running = Awaited<ReturnType<typeof startVersion>>;

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

/** What else than requests gateways are compared by. */
const startKind = 'start';

const startLine = async ({ name, gateway }: Running): Promise<Line> => {
  const memory = `${(await gateway.usedMiB()).toFixed(1)} MiB in use in the end`;
  const what = `start, ${name}: processor time until the first page`;
  return line(what, gateway.startCpuMs, 'ms', {}, `${Math.round(gateway.startMs)} ms on the clock`, memory);
};

/** Lets other gateways take turns with a base, for each kind of request. */
const compareVersions = async (bench: Bench, base: Version, others: readonly Version[]): Promise<Line[]> => {
  const { only } = bench.options;
  const running = await startVersion(bench, base);
  const subjects: Running[] = [];
  for (const other of others) subjects.push(await startVersion(bench, other));
  const kinds = kindsOfRequests(bench, running.gateway.url);
  assertKnown(only, [...kinds.map(([name]) => name), startKind]);
  const isChosen = (kind: string): boolean => only.length === 0 || only.includes(kind);
  const lines: Line[] = [];
  for (const [kind, record] of kinds) {
    if (!isChosen(kind)) continue;
    const requests = await record();
    const subjectOf = ({ name, gateway }: Running): Subject => ({ ...gateway, name, requests });
    for (const one of subjects) lines.push(lineOf(kind, await compare(bench, subjectOf(one), subjectOf(running))));
  }
  if (isChosen(startKind)) for (const one of [running, ...subjects]) lines.push(await startLine(one));
  return lines;
};

/** The gateways that the options name. */
const variationsOf = ({ without, with: settings, node, against }: Options): readonly Version[] => {
  const variables = Object.keys(settings);
  return [
    ...without.map((cache) => ({ name: `without ${cache}`, without: cache })),
    ...(variables.length === 0 ? [] : [{ name: `with ${variables.join(', ')}`, settings }]),
    ...(node === undefined ? [] : [{ name: `on ${node}`, node }]),
    ...(against === undefined ? [] : [{ name: against, folder: resolve(process.env['INIT_CWD'] ?? '', against) }]), // npm starts this in bench
  ];
};

/**
 * Lets every gateway that the options name take turns with this one, and so a second one of this, whose ratio shows the error;
 * `undefined` when they name none.
 */
export const variations = (options: Options): Row | undefined => {
  const others = variationsOf(options);
  const unbuilt = others.find(({ folder }) => folder !== undefined && !existsSync(join(folder, 'dist')));
  if (unbuilt !== undefined) throw new Error(`${unbuilt.folder} has no built gateway: npm ci`);
  if (others.length === 0) return undefined;
  return (bench) => compareVersions(bench, { name: 'this' }, [{ name: 'this again (error)' }, ...others]);
};
