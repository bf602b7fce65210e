import { fileURLToPath } from 'node:url';
import type { Bench } from '../bench.ts';
import { childResult } from '../process/child-result.ts';
import { root } from '../process/gateway.ts';
import { usedMiB } from '../process/gateway-health.ts';
import { cpuMs } from '../process/usage.ts';
import type { Line, Row } from '../row.ts';
import { artistsIn } from '../rows/pages.ts';
import { median } from '../statistics.ts';
import { findAblation, writeAblatedPackage } from './ablated-package.ts';
import { type Named, requestLines } from './requests.ts';

/** A built gateway. */
interface Package {
  readonly name: string;
  readonly folder: string;
}

interface Running extends Package, Named {
  /** Processor time until it was ready, in milliseconds. */
  readonly startMs: number;
}

const measureRefresh = ({ folder }: Package, artists: number): Promise<Readonly<Record<string, number>>> =>
  childResult(fileURLToPath(new URL('./refresh.js', import.meta.url)), [folder, String(artists)]);

const refreshRuns = 3;

const refreshLines = async (packages: readonly Package[], artists: number): Promise<Line[]> => {
  const runs = packages.map((): Readonly<Record<string, number>>[] => []);
  for (let run = 0; run < refreshRuns; run++) {
    for (const [index, one] of packages.entries()) runs[index]?.push(await measureRefresh(one, artists));
  }
  return packages.map(({ name }, index) => {
    const names = Object.keys(runs[index]?.[0] ?? {});
    const figures = names.map(
      (what) => `${what} ${median(runs[index]?.map((run) => run[what] ?? 0) ?? []).toFixed(2)} ms`,
    );
    return { what: `after 1 % of ${artists} artists changed, ${name}`, figure: figures.join(', '), notes: [] };
  });
};

/** Starts packages over the same catalogue, which is not reloaded meanwhile; neither are the keys. */
const startAll = async (bench: Bench, packages: readonly Package[]): Promise<Running[]> => {
  const catalogue = await bench.catalogue({ artists: artistsIn(bench), histories: 1 });
  const running: Running[] = [];
  for (const one of packages) {
    const settings = {
      CATALOGUE_DIR: catalogue,
      KEYS_DIR: catalogue,
      CATALOGUE_REFRESH_SECONDS: '800',
      KEYS_REFRESH_SECONDS: '200',
    };
    const gateway = await bench.gateway(settings, one.folder);
    running.push({ ...one, gateway, startMs: cpuMs(gateway.pid) });
  }
  return running;
};

const heldLine = async ({ name, startMs, gateway }: Running): Promise<Line> => ({
  what: `${name}: start, memory`,
  figure: `${(startMs / 1000).toFixed(2)} s of processor until ready, ${(await usedMiB(gateway)).toFixed(1)} MiB in use in the end`,
  notes: [],
});

/** Lets packages take turns with the first of them: `isCompared` says which. */
const comparePackages = async (
  bench: Bench,
  packages: readonly Package[],
  isCompared: (one: Package) => boolean,
): Promise<Line[]> => {
  const running = await startAll(bench, packages);
  const [base, ...subjects] = running;
  const compared = subjects.filter(isCompared);
  const lines = base === undefined || compared.length === 0 ? [] : await requestLines(bench, base, compared);
  for (const one of running) lines.push(await heldLine(one));
  return lines;
};

/**
 * `--without NAME,NAME`: gateways without one cache each take turns with the gateway as it is, and so does a second gateway
 * as it is, whose ratio shows the error.
 */
export const withoutRow = (names: readonly string[]): Row => ({
  name: 'without',
  async measure(bench) {
    const base = { name: 'the gateway as it is', folder: root };
    const same = { name: 'the same (error)', folder: root };
    const ablated = names.map((name) => {
      const ablation = findAblation(name);
      const folder = writeAblatedPackage(bench.folder, ablation);
      return { name: `without ${name}`, folder, affects: ablation.affects };
    });
    const onRefresh = ablated.filter(({ affects }) => affects === 'refresh');
    const refreshed = onRefresh.length === 0 ? [] : await refreshLines([same, ...onRefresh], artistsIn(bench));
    const onRequests = ablated.filter(({ affects }) => affects === 'requests').map(({ name }) => name);
    const isCompared = ({ name }: Package): boolean =>
      onRequests.length > 0 && [same.name, ...onRequests].includes(name);
    return [...refreshed, ...(await comparePackages(bench, [base, same, ...ablated], isCompared))];
  },
});

/** `--against FOLDER`: this gateway takes turns with another one, and so does a second of the other, whose ratio shows the error. */
export const againstRow = (folder: string): Row => ({
  name: 'against',
  measure: (bench) =>
    comparePackages(
      bench,
      [
        { name: 'the other', folder },
        { name: 'the other again (error)', folder },
        { name: 'this', folder: root },
      ],
      () => true,
    ),
});
