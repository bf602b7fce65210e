import { parsePage, recordPages, recordRequests } from '../answers.ts';
import { compare, formatComparison, type Subject } from '../load/compare.ts';
import { type Line, line, type Row } from '../row.ts';
import { type Following, startFollowing } from './gateways.ts';

/**
 * So many answers of a kind, spread evenly over the catalogue: as many of the small one as of the
 * large one.
 */
const spreadOver = 20;
const tierPages = 4;

/** Parts of names: more than fifty of a thousand artists have each. */
const nameParts = ['en', 'ar', 'or', 'el', 'an', 'er'];

const spread = <Item>(items: readonly Item[], count: number): Item[] =>
  items.filter((_, index) => index % Math.floor(items.length / count) === 0).slice(0, count);

/** The questions of a kind, for a gateway that follows a catalogue. */
type PathsOf = (
  following: Following,
  key: string,
) => readonly string[] | Promise<readonly string[]>;

/**
 * Some of the full pages. Walking through all makes sure that the large catalogue is as ready as
 * the small one.
 */
const pagesOf =
  (count: number, query: string): PathsOf =>
  async ({ gateway }, key) => {
    const pages = spread(await recordPages(gateway.url, key, { query }), count);
    return pages.filter(({ body }) => parsePage(body).data.length === 50).map(({ path }) => path);
  };

const kinds: readonly (readonly [what: string, pathsOf: PathsOf])[] = [
  ['a page of 50', pagesOf(spreadOver, 'limit=50')],
  [
    'a detail',
    ({ artists }) => spread(artists, spreadOver).map(({ id }) => `/api/v1/artists/${id}`),
  ],
  ['a page of 50 by name', () => nameParts.map((part) => `/api/v1/artists?limit=50&name=${part}`)],
  ['a page of 50 of a tier', pagesOf(tierPages, 'limit=50&tier=watch')],
];

export const growth: Row = async (bench) => {
  const { current } = bench.keys;
  const wholeMachine = { NODE_OPTIONS: '' }; // the large catalogue takes more than 512 MiB
  const small = await startFollowing(bench, { artists: 1_000 }, wholeMachine);
  const large = await startFollowing(bench, { artists: bench.manyArtists }, wholeMachine);
  const lines: Line[] = [];
  for (const [what, pathsOf] of kinds) {
    const subjectOf = async (following: Following): Promise<Subject> => {
      const { gateway, artists } = following;
      const requests = await recordRequests(
        gateway.url,
        await pathsOf(following, current),
        current,
      );
      return { ...gateway, name: `${artists.length} artists`, requests };
    };
    const base = await subjectOf(small);
    const rounds = bench.options.rounds * 2; // a tenth is less than the error of half as many
    const seen = await compare(bench, await subjectOf(large), base, { rounds });
    const title = `time of ${what}, from ${small.artists.length} to ${large.artists.length} artists: growth`;
    const percent = (seen.ratio('cpuUs') - 1) * 100;
    lines.push(line(title, percent, '%', { atMost: 10 }, formatComparison(seen)));
  }
  return lines;
};
