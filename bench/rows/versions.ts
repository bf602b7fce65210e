import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipped, recordPages, recordRequests, requestsFor, revalidationsOf } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { dayBefore, generateArtist } from '../catalogue/artists.ts';
import { compare, compareTurns, formatComparison, formatSide, takeTurn } from '../load/compare.ts';
import type { Request } from '../load/messages.ts';
import { root } from '../process/gateway.ts';
import { type Line, line } from '../row.ts';
import { allowedMs, allowedRate, startCrowd, warmUp } from './crowd.ts';
import { pagesInRotation, variantPages } from './gateways.ts';

/** More queries than cached responses, for the same artists: none is in the cache. */
const newQueries = Array.from(
  { length: 600 },
  (_, index) => `/api/v1/artists?limit=50&added_since=${dayBefore(500 + index)}`,
);

type Record = (bench: Bench, url: string) => Promise<readonly Request[]>;

const pages = ({ keys }: Bench, url: string) =>
  recordPages(url, keys.current, { max: pagesInRotation });
const page: Record = async (bench, url) => requestsFor(await pages(bench, url), bench.keys.current);
const compressed =
  (record: Record): Record =>
  async (bench, url) =>
    (await record(bench, url)).map(gzipped);

/** Requests by the names of `--only`. Each gateway records its own. */
const requestsOf = new Map<string, Record>([
  ['page', page],
  ['variant', ({ keys }, url) => recordRequests(url, variantPages, keys.variant)],
  ['gzip', compressed(page)],
  [
    'not-modified',
    async (bench, url) => revalidationsOf(await pages(bench, url), bench.keys.current),
  ],
  ['new-answers', ({ keys }, url) => recordRequests(url, newQueries, keys.current)],
  [
    'history',
    ({ keys }, url) =>
      recordRequests(url, [`/api/v1/artists/${generateArtist(0).id}`], keys.current),
  ],
]);

const crowdKinds: readonly string[] = ['crowd', 'allowed'];

/** The names of `--only`. */
export const comparedBy: readonly string[] = [...requestsOf.keys(), ...crowdKinds];

/** The folder of a checkout, or of a commit that this run builds. */
const otherFolder = (bench: Bench, against: string): string => {
  const folder = resolve(process.env['INIT_CWD'] ?? '', against); // npm starts this in bench
  const copy = join(bench.folder, 'against');
  const built = [folder, copy].find((one) => existsSync(join(one, 'dist')));
  if (built !== undefined) return built;
  const script = `git clone --quiet --no-checkout "$0" "$1" && cd "$1" && git checkout --quiet "$2" &&
    npm ci --ignore-scripts --no-audit --no-fund && npm run --silent build`;
  const { status } = spawnSync('sh', ['-ec', script, root, copy, against], {
    stdio: ['ignore', process.stderr, 'inherit'], // compilers write errors to standard output
  });
  if (status !== 0) throw new Error(`${against} is not a built checkout or a commit that builds`);
  return copy;
};

/**
 * Compares gateways under a crowd: as fast as possible, and at the rate of the quotas while 1 % of
 * the artists change every 15 seconds.
 */
const compareCrowds = async (bench: Bench, folder: string, kinds: readonly string[]) => {
  const started = {
    subject: await startCrowd(bench, { folder }),
    base: await startCrowd(bench),
  };
  const names = { subject: 'the other', base: 'this' };
  const lines: Line[] = [];
  for (const { all } of Object.values(started)) await warmUp(bench, all);
  for (const kind of kinds) {
    const isAllowed = kind === 'allowed';
    const rounds = isAllowed ? Math.ceil(bench.options.rounds / 4) : bench.options.rounds;
    const pace = isAllowed
      ? { ms: allowedMs, rate: allowedRate }
      : { ms: bench.options.sliceMs * 2 };
    const seen = await compareTurns(names, rounds, (side) => {
      const { database, all } = started[side];
      if (isAllowed) database.change(100);
      return takeTurn(bench, [all], pace);
    });
    const what = `${kind}, the other: processor time, against this`;
    const notes = [formatSide(seen.subject), formatSide(seen.base)];
    lines.push(line(what, seen.ratio('cpuUs'), '×', {}, notes));
  }
  return lines;
};

/**
 * Compares another version with this one for each kind of request. A second gateway of this version
 * shows the error.
 */
export const compareVersions = async (bench: Bench, against: string): Promise<Line[]> => {
  const folder = otherFolder(bench, against);
  const { only } = bench.options;
  const chosen = comparedBy.filter((kind) => only.length === 0 || only.includes(kind));
  const base = { ...(await bench.filled()), name: 'this' };
  const subjects = [
    { ...(await bench.filled()), name: 'this again (error)' },
    { ...(await bench.filled(folder)), name: against },
  ];
  const lines: Line[] = [];
  for (const kind of chosen) {
    const record = requestsOf.get(kind);
    if (record === undefined) continue;
    // each has tags of its own
    const recorded = async <Gateway extends { readonly url: string }>(gateway: Gateway) => ({
      ...gateway,
      requests: await record(bench, gateway.url),
    });
    for (const subject of subjects) {
      const seen = await compare(bench, await recorded(subject), await recorded(base));
      const what = `${kind}, ${subject.name}: processor time, against ${base.name}`;
      lines.push(line(what, seen.ratio('cpuUs'), '×', {}, formatComparison(seen)));
    }
  }
  for (const gateway of [base, ...subjects]) await gateway.stop();
  const crowds = chosen.filter((kind) => crowdKinds.includes(kind));
  return crowds.length === 0 ? lines : [...lines, ...(await compareCrowds(bench, folder, crowds))];
};
