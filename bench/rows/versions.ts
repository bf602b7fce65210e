import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipped, recordPages, recordRequests, requestsFor, revalidationsOf } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { dayBefore } from '../catalogue/artists.ts';
import { compare, formatComparison } from '../load/compare.ts';
import type { Request } from '../load/messages.ts';
import { type Line, line } from '../row.ts';
import { pagesInRotation, variantPages } from './gateways.ts';

/** More questions than answers are cached: every one is asked anew, of the same artists. */
const newQuestions = Array.from(
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

/**
 * The requests by which gateways are compared, by the name that `--only` gives them; recorded when
 * their turn comes, of each gateway.
 */
const requestsOf = new Map<string, Record>([
  ['page', page],
  ['variant', ({ keys }, url) => recordRequests(url, variantPages, keys.variant)],
  ['gzip', compressed(page)],
  [
    'not-modified',
    async (bench, url) => revalidationsOf(await pages(bench, url), bench.keys.current),
  ],
  ['new-answers', ({ keys }, url) => recordRequests(url, newQuestions, keys.current)],
]);

/** What gateways are compared by. */
export const comparedBy: readonly string[] = [...requestsOf.keys()];

/** The folder of the other checkout. Throws if it is not built. */
const otherFolder = (against: string): string => {
  const folder = resolve(process.env['INIT_CWD'] ?? '', against); // npm starts this in bench
  if (!existsSync(join(folder, 'dist'))) throw new Error(`${folder} has no built gateway: npm ci`);
  return folder;
};

/**
 * Compares the other checkout's gateway with this one for each chosen kind of request, and a second
 * one of this, whose ratio shows the error.
 */
export const compareVersions = async (bench: Bench, against: string): Promise<Line[]> => {
  const base = { ...(await bench.filled()), name: 'this' };
  const subjects = [
    { ...(await bench.filled()), name: 'this again (error)' },
    { ...(await bench.filled({ folder: otherFolder(against) })), name: against },
  ];
  const { only } = bench.options;
  const isChosen = (kind: string): boolean => only.length === 0 || only.includes(kind);
  const lines: Line[] = [];
  for (const [kind, record] of requestsOf) {
    if (!isChosen(kind)) continue;
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
  return lines;
};
