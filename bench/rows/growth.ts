import { ask, bearer, parsePage, type Recorded, recordPages, requestsFor } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { type Comparison, compare, formatComparison, type Subject } from '../load/compare.ts';
import { atMost, type Line, type Row } from '../row.ts';
import { type Following, startFollowing } from './following.ts';
import { manyArtistsIn } from './pages.ts';

/** So many answers of a kind, spread evenly over the catalogue: as many of the small one as of the large one. */
const spreadOver = 20;
const tierPages = 4;

/** Parts of names: more than fifty of a thousand artists have each. */
const nameParts = ['en', 'ar', 'or', 'el', 'an', 'er'];

const spread = <Item>(items: readonly Item[], count: number): Item[] =>
  Array.from({ length: count }, (_, index) => items[Math.floor((index * items.length) / count)]).filter(
    (item) => item !== undefined,
  );

/** Every page, then some of them. Walking through all makes sure that the large catalogue is as ready as the small one. */
const pagesOf = async ({ keys }: Bench, { gateway }: Following, count: number, query: string): Promise<Recorded[]> =>
  spread(await recordPages(gateway.url, keys.current, Number.POSITIVE_INFINITY, query), count);

const detailsOf = ({ keys }: Bench, { gateway, artists }: Following): Promise<Recorded[]> =>
  Promise.all(
    spread(artists, spreadOver).map(({ id }) => ask(gateway.url, `/api/v1/artists/${id}`, bearer(keys.current))),
  );

type Record = (bench: Bench, following: Following) => Promise<Recorded[]>;

const kinds: readonly (readonly [what: string, record: Record, ...notes: string[]])[] = [
  ['a page of 50', (bench, following) => pagesOf(bench, following, spreadOver, 'limit=50')],
  ['a detail', detailsOf],
  [
    'a page of 50 by name',
    ({ keys }, { gateway }) => {
      const headers = bearer(keys.current);
      return Promise.all(nameParts.map((part) => ask(gateway.url, `/api/v1/artists?limit=50&name=${part}`, headers)));
    },
    'answers are cached, as in the rows above; the row of name searches measures what is not',
  ],
  ['a page of 50 of a tier', (bench, following) => pagesOf(bench, following, tierPages, 'limit=50&tier=watch')],
];

const subjectOf = (bench: Bench, { gateway, artists }: Following, recorded: readonly Recorded[]): Subject => {
  const full = recorded.filter(
    ({ body }) => !Array.isArray(parsePage(body).data) || parsePage(body).data.length === 50,
  );
  const { port, pid } = gateway;
  return { name: `${artists.length} artists`, port, pid, requests: requestsFor(full, bench.keys.current) };
};

/** Growth of the time that one request takes of the server; of the time between answers where that is not known. */
const growthOf = ({ cpuRatio, rateRatio }: Comparison): number =>
  ((Number.isNaN(cpuRatio) ? 1 / rateRatio : cpuRatio) - 1) * 100;

export const growth: Row = {
  name: 'growth',
  async measure(bench) {
    const small = await startFollowing(bench, { artists: 1_000 });
    const large = await startFollowing(bench, { artists: manyArtistsIn(bench) });
    const lines: Line[] = [];
    for (const [what, record, ...notes] of kinds) {
      const base = subjectOf(bench, small, await record(bench, small));
      const subject = subjectOf(bench, large, await record(bench, large));
      const seen = await compare(bench.generator, subject, base, bench.options);
      const title = `time of ${what}, from ${small.artists.length} to ${large.artists.length} artists: growth`;
      lines.push(atMost(title, 10, '%', growthOf(seen), [...formatComparison(seen), ...notes]));
    }
    return lines;
  },
};
