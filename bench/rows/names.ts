import { fileURLToPath } from 'node:url';
import { childResult } from '../process/child-result.ts';
import { atMost, type Row } from '../row.ts';
import { manyArtistsIn } from './pages.ts';

interface Search {
  readonly what: string;
  readonly found: number;
  readonly median: number;
  readonly p99: number;
}

export const names: Row = {
  name: 'names',
  async measure(bench) {
    const artists = manyArtistsIn(bench);
    const file = fileURLToPath(new URL('../in-process/search-names.js', import.meta.url));
    const searches = await childResult<Search[]>(file, [String(artists)]);
    const slowest = Math.max(...searches.map(({ median }) => median));
    return [
      atMost(`name search over ${artists} artists, the slowest kind`, 1, 'ms', slowest, [
        ...searches.map(
          ({ what, found, median, p99 }) =>
            `${what}: median ${median.toFixed(3)} ms, p99 ${p99.toFixed(3)} ms, ${found} found`,
        ),
        'in the process, without HTTP and quota',
      ]),
    ];
  },
};
