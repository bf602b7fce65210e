import { startModule } from '../process/module.ts';
import type { Row } from '../row.ts';

interface Search {
  readonly what: string;
  readonly found: number;
  readonly median: number;
  readonly p99: number;
}

export const names: Row = {
  name: 'names',
  async measure({ manyArtists }) {
    const searches = await startModule('in-process/search-names.js', [String(manyArtists)]).next<Search[]>();
    return [
      {
        what: `name search over ${manyArtists} artists, the slowest kind`,
        figure: Math.max(...searches.map(({ median }) => median)),
        unit: 'ms',
        atMost: 1,
        notes: [
          ...searches.map(
            ({ what, found, median, p99 }) =>
              `${what}: median ${median.toFixed(3)} ms, p99 ${p99.toFixed(3)} ms, ${found} found`,
          ),
          'in the process, without HTTP and quota',
        ],
      },
    ];
  },
};
