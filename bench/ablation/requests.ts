import { ask, bearer, recordPages, requestsFor, revalidationsOf } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { dayBefore, generateArtist } from '../catalogue/artists.ts';
import { type Comparison, compareAll, type Subject } from '../load/compare.ts';
import type { Request } from '../load/messages.ts';
import type { Gateway } from '../process/gateway.ts';
import type { Line } from '../row.ts';
import { variantPages } from '../rows/pages.ts';

const pages = 40;

/** More questions than answers are cached: every one is asked anew, of the same artists. */
const questions = 600;
const newQuestions = Array.from(
  { length: questions },
  (_, index) => `/api/v1/artists?limit=50&added_since=${dayBefore(500 + index)}`,
);

const askAll = async (url: string, paths: readonly string[], key: string): Promise<Request[]> => {
  const asked = [];
  for (const path of paths) asked.push(await ask(url, path, bearer(key)));
  return requestsFor(asked, key);
};

const compressed = ({ path, headers, status }: Request): Request => ({
  path,
  status,
  headers: { ...headers, 'Accept-Encoding': 'gzip' },
});

type Kind = readonly [name: string, record: () => Promise<readonly Request[]>];

/** The requests of each comparison, by the name that `--only` gives it; recorded when their turn comes. */
const kindsOf = ({ keys }: Bench, url: string): readonly Kind[] => {
  const recordPage = () => recordPages(url, keys.current, pages);
  const page = async () => requestsFor(await recordPage(), keys.current);
  const history = () => askAll(url, [`/api/v1/artists/${generateArtist(0).id}`], keys.current);
  return [
    ['page', page],
    ['variant', () => askAll(url, variantPages, keys.variant)],
    ['gzip', async () => (await page()).map(compressed)],
    ['not-modified', async () => revalidationsOf(await recordPage(), keys.current)],
    ['new-answers', () => askAll(url, newQuestions, keys.limited)],
    ['history', history],
    ['history-gzip', async () => (await history()).map(compressed)],
  ];
};

const times = (ratio: number): string => `${ratio.toFixed(3)}×`;

const lineOf = (kind: string, { subject, base, cpuRatio, rateRatio, cpuSpread }: Comparison): Line => ({
  what: `${kind}, ${subject.name}: processor time, against ${base.name}`,
  figure: { value: cpuRatio, unit: '×', digits: 3 },
  notes: [
    `${subject.cpuUs.toFixed(1)} µs against ${base.cpuUs.toFixed(1)} µs; interquartile range of the rounds ${cpuSpread.toFixed(3)}`,
    `requests in the same time: ${times(rateRatio)}; busy ${Math.round(subject.busy * 100)} and ${Math.round(base.busy * 100)} %`,
    `Redis: ${subject.redisUs.toFixed(1)} µs against ${base.redisUs.toFixed(1)} µs`,
  ],
});

/** A gateway that takes turns with others. */
export interface Named {
  readonly name: string;
  readonly gateway: Gateway;
}

/** Lets gateways take turns with the base, for each kind of request. */
export const requestLines = async (bench: Bench, base: Named, subjects: readonly Named[]): Promise<Line[]> => {
  const { options, generator, redis } = bench;
  const kinds = kindsOf(bench, base.gateway.url);
  const unknown = options.only.find((wanted) => !kinds.some(([name]) => name === wanted));
  if (unknown !== undefined)
    throw new Error(`${unknown} is not compared: there are ${kinds.map(([name]) => name).join(', ')}`);
  const lines: Line[] = [];
  for (const [kind, record] of kinds) {
    if (options.only.length > 0 && !options.only.includes(kind)) continue;
    const requests = await record();
    const subjectOf = ({ name, gateway: { port, pid } }: Named): Subject => ({ name, port, pid, requests });
    const seen = await compareAll(generator, subjects.map(subjectOf), subjectOf(base), { ...options, redis });
    lines.push(...seen.map((comparison) => lineOf(kind, comparison)));
  }
  return lines;
};
