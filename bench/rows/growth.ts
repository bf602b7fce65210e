import { parsePage, recordPages, recordRequests, requestsFor } from '../answers.ts';
import { type Comparison, compare, formatComparison, type Subject } from '../load/compare.ts';
import type { Request } from '../load/messages.ts';
import { type Line, line, type Row } from '../row.ts';
import { type Following, startFollowing } from './gateways.ts';

/** So many answers of a kind, spread evenly over the catalogue: as many of the small one as of the large one. */
const spreadOver = 20;
const tierPages = 4;

/** Parts of names: more than fifty of a thousand artists have each. */
const nameParts = ['en', 'ar', 'or', 'el', 'an', 'er'];

const spread = <Item>(items: readonly Item[], count: number): Item[] =>
  Array.from({ length: count }, (_, index) => items[Math.floor((index * items.length) / count)]).filter(
    (item) => item !== undefined,
  );

type Record = (following: Following, key: string) => Promise<Request[]>;

/** Some of the full pages. Walking through all makes sure that the large catalogue is as ready as the small one. */
const pagesOf =
  (count: number, query: string): Record =>
  async ({ gateway }, key) => {
    const pages = spread(await recordPages(gateway.url, key, { query }), count);
    const full = pages.filter(({ body }) => parsePage(body).data.length === 50);
    return requestsFor(full, key);
  };

const kinds: readonly (readonly [what: string, record: Record, ...notes: string[]])[] = [
  ['a page of 50', pagesOf(spreadOver, 'limit=50')],
  [
    'a detail',
    ({ gateway, artists }, key) => {
      const paths = spread(artists, spreadOver).map(({ id }) => `/api/v1/artists/${id}`);
      return recordRequests(gateway.url, paths, key);
    },
  ],
  [
    'a page of 50 by name',
    ({ gateway }, key) => {
      const paths = nameParts.map((part) => `/api/v1/artists?limit=50&name=${part}`);
      return recordRequests(gateway.url, paths, key);
    },
    'answers are cached, as in the rows above',
  ],
  ['a page of 50 of a tier', pagesOf(tierPages, 'limit=50&tier=watch')],
];

/** Growth of the time that one request takes of the server; of the time between answers where that is not known. */
const growthOf = ({ ratio }: Comparison): number =>
  ((Number.isNaN(ratio('cpuUs')) ? 1 / ratio('rate') : ratio('cpuUs')) - 1) * 100;

export const growth: Row = async (bench) => {
  const small = await startFollowing(bench, { artists: 1_000 });
  const large = await startFollowing(bench, { artists: bench.manyArtists });
  const lines: Line[] = [];
  for (const [what, record, ...notes] of kinds) {
    const subjectOf = async (following: Following): Promise<Subject> => {
      const { port, pid } = following.gateway;
      const requests = await record(following, bench.keys.current);
      return { name: `${following.artists.length} artists`, port, pid, requests };
    };
    const base = await subjectOf(small);
    const seen = await compare(bench, await subjectOf(large), base);
    const title = `time of ${what}, from ${small.artists.length} to ${large.artists.length} artists: growth`;
    lines.push(line(title, growthOf(seen), '%', { atMost: 10 }, ...formatComparison(seen), ...notes));
  }
  return lines;
};
