import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ask, bearer, recordPages, requestsFor } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { dayBefore, generateArtist } from '../catalogue/artists.ts';
import { type Comparison, compareAll, type Subject } from '../load/compare.ts';
import type { Request } from '../load/messages.ts';
import { childResult } from '../process/child-result.ts';
import { type Gateway, root } from '../process/gateway.ts';
import { usedMiB } from '../process/gateway-health.ts';
import { cpuMs } from '../process/usage.ts';
import type { Line, Row } from '../row.ts';
import { artistsIn } from '../rows/pages.ts';
import { median } from '../statistics.ts';
import { findAblation, writeAblatedPackage } from './ablated-package.ts';

/** A package of the gateway, whole or with one cache switched off. */
interface Variant {
  readonly name: string;
  readonly folder: string;
}

interface Running extends Variant {
  readonly gateway: Gateway;
  /** Processor time until it was ready, in milliseconds. */
  readonly startMs: number;
}

const pages = 40;

/** Milliseconds for each gateway before anything counts: many take turns. */
const warmUpMs = 2_000;

/** More questions than answers are cached: every one is asked anew, of the same artists. */
const questions = 600;
const newQuestions = Array.from(
  { length: questions },
  (_, index) => `/api/v1/artists?limit=50&added_since=${dayBefore(500 + index)}`,
);

/** The requests of each comparison, by the name that `--only` gives it. */
const requestKinds = async ({ keys }: Bench, url: string): Promise<ReadonlyMap<string, readonly Request[]>> => {
  const key = keys.current;
  const recorded = await recordPages(url, key, pages);
  const page = requestsFor(recorded, key);
  const history = requestsFor([await ask(url, `/api/v1/artists/${generateArtist(0).id}`, bearer(key))], key);
  const compressed = ({ path, headers, status }: Request): Request => ({
    path,
    status,
    headers: { ...headers, 'Accept-Encoding': 'gzip' },
  });
  const asked = [];
  for (const path of newQuestions) asked.push(await ask(url, path, bearer(keys.limited)));
  const unchanged = page.map((request, index) => ({
    ...request,
    headers: { ...request.headers, 'If-None-Match': recorded[index]?.etag ?? '' },
    status: 304,
    length: 0,
  }));
  return new Map([
    ['page', page],
    ['gzip', page.map(compressed)],
    ['not-modified', unchanged],
    ['new-answers', requestsFor(asked, keys.limited)],
    ['history', history],
    ['history-gzip', history.map(compressed)],
  ]);
};

const times = (ratio: number): string => `${ratio.toFixed(3)}×`;

const lineOf = (kind: string, { subject, base, cpuRatio, rateRatio, cpuSpread }: Comparison): Line => ({
  what: `${kind}, ${subject.name}: processor time, against the gateway as it is`,
  figure: times(cpuRatio),
  notes: [
    `${subject.cpuUs.toFixed(1)} µs against ${base.cpuUs.toFixed(1)} µs; interquartile range of the rounds ${cpuSpread.toFixed(3)}`,
    `requests in the same time: ${times(rateRatio)}; busy ${Math.round(subject.busy * 100)} and ${Math.round(base.busy * 100)} %`,
  ],
});

const measureRefresh = ({ folder }: Variant, artists: number): Promise<Readonly<Record<string, number>>> =>
  childResult(fileURLToPath(new URL('./refresh.js', import.meta.url)), [folder, String(artists)]);

const refreshRuns = 3;

const refreshLines = async (variants: readonly Variant[], artists: number): Promise<Line[]> => {
  const runs = variants.map((): Readonly<Record<string, number>>[] => []);
  for (let run = 0; run < refreshRuns; run++) {
    for (const [index, variant] of variants.entries()) runs[index]?.push(await measureRefresh(variant, artists));
  }
  return variants.map(({ name }, index) => {
    const names = Object.keys(runs[index]?.[0] ?? {});
    const figures = names.map(
      (what) => `${what} ${median(runs[index]?.map((run) => run[what] ?? 0) ?? []).toFixed(2)} ms`,
    );
    return { what: `after 1 % of ${artists} artists changed, ${name}`, figure: figures.join(', '), notes: [] };
  });
};

const startVariant = async (bench: Bench, variant: Variant, settings: Record<string, string>): Promise<Running> => {
  const gateway = await bench.gateway(settings, variant.folder);
  return { ...variant, gateway, startMs: cpuMs(gateway.pid) };
};

const subjectOf = ({ name, gateway: { port, pid } }: Running, requests: readonly Request[]): Subject => ({
  name,
  port,
  pid,
  requests,
});

const requestLines = async (bench: Bench, base: Running, subjects: readonly Running[]): Promise<Line[]> => {
  const lines: Line[] = [];
  const { only } = bench.options;
  for (const [kind, requests] of await requestKinds(bench, base.gateway.url)) {
    if (only.length > 0 && !only.includes(kind)) continue;
    const chosen = subjects.map((subject) => subjectOf(subject, requests));
    const options = { ...bench.options, warmUpMs };
    const seen = await compareAll(bench.generator, chosen, subjectOf(base, requests), options);
    lines.push(...seen.map((comparison) => lineOf(kind, comparison)));
  }
  return lines;
};

const heldLine = async ({ name, startMs, gateway }: Running): Promise<Line> => ({
  what: `${name}: start, memory`,
  figure: `${(startMs / 1000).toFixed(2)} s of processor until ready, ${(await usedMiB(gateway)).toFixed(1)} MiB in use in the end`,
  notes: [],
});

/**
 * `--without NAME,NAME`: gateways without one cache each take turns with the gateway as it is, and so does a second gateway
 * as it is, whose ratio shows the error. Catalogue and keys are not reloaded meanwhile.
 */
export const ablationRow = (names: readonly string[]): Row => ({
  name: 'without',
  async measure(bench) {
    const artists = artistsIn(bench);
    const catalogue = await bench.catalogue({ artists, histories: 1 });
    const settings = {
      CATALOGUE_DIR: catalogue,
      KEYS_DIR: catalogue,
      CATALOGUE_REFRESH_SECONDS: '800',
      KEYS_REFRESH_SECONDS: '200',
    };
    const same: Variant = { name: 'the same (error)', folder: root };
    const ablated = names.map((name) => {
      const { affects } = findAblation(name);
      const folder = join(bench.folder, `without-${name}`);
      writeAblatedPackage(folder, findAblation(name));
      return { name: `without ${name}`, folder, affects };
    });
    const affecting = (what: 'requests' | 'refresh'): Variant[] => ablated.filter(({ affects }) => affects === what);
    const [onRefresh, onRequests] = [affecting('refresh'), affecting('requests')];
    const lines = onRefresh.length === 0 ? [] : await refreshLines([same, ...onRefresh], artists);
    const base = await startVariant(bench, { name: 'as it is', folder: root }, settings);
    const running: Running[] = [];
    for (const variant of [same, ...ablated]) running.push(await startVariant(bench, variant, settings));
    const compared = running.filter(({ folder }) => folder === root || onRequests.some((one) => one.folder === folder));
    if (onRequests.length > 0) lines.push(...(await requestLines(bench, base, compared)));
    for (const one of [base, ...running]) lines.push(await heldLine(one));
    return lines;
  },
});
