import { parsePage, recordPages, recordRequests } from '../answers.ts';
import { compare, formatComparison, type Subject } from '../load/compare.ts';
import { type Line, line, type Row } from '../row.ts';
import { type FilledGateway, startFilled } from './gateways.ts';

/** Requests of a kind, spread evenly over the catalogue; the same number for both catalogues. */
const spreadOver = 20;

const spread = <Item>(items: readonly Item[]): Item[] =>
  items
    .filter((_, index) => index % Math.floor(items.length / spreadOver) === 0)
    .slice(0, spreadOver);

type PathsOf = (filled: FilledGateway, key: string) => Promise<readonly string[]>;

const kinds: readonly (readonly [what: string, pathsOf: PathsOf])[] = [
  [
    'a page of 50',
    // reading all pages makes sure that the large catalogue is as ready as the small one
    async ({ gateway }, key) =>
      spread(await recordPages(gateway.url, key))
        .filter(({ body }) => parsePage(body).data.length === 50)
        .map(({ path }) => path),
  ],
  ['a detail', async ({ artists }) => spread(artists).map(({ id }) => `/api/v1/artists/${id}`)],
];

export const growth: Row = async (bench) => {
  const { current } = bench.keys;
  const wholeMachine = { NODE_OPTIONS: '' }; // the large catalogue takes more than 512 MiB
  const small = await startFilled(bench, { artists: 1_000 }, wholeMachine);
  const large = await startFilled(bench, { artists: bench.manyArtists }, wholeMachine);
  const lines: Line[] = [];
  for (const [what, pathsOf] of kinds) {
    const subjectOf = async (filled: FilledGateway): Promise<Subject> => {
      const { gateway, artists } = filled;
      const requests = await recordRequests(gateway.url, await pathsOf(filled, current), current);
      return { ...gateway, name: `${artists.length} artists`, requests };
    };
    const base = await subjectOf(small);
    const rounds = bench.options.rounds * 6; // with a third as many, the error of a run is 5 %
    const seen = await compare(bench, await subjectOf(large), base, rounds);
    const title = `time of ${what}, from ${small.artists.length} to ${large.artists.length} artists: growth`;
    const percent = (seen.ratio('cpuUs') - 1) * 100;
    lines.push(line(title, percent, '%', { atMost: 10 }, formatComparison(seen)));
  }
  return lines;
};
