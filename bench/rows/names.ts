import type { Search } from '../in-process/search-names.ts';
import { startModule } from '../process/module.ts';
import { line, type Row } from '../row.ts';

export const names: Row = async ({ manyArtists }) => {
  const searches = await startModule('in-process/search-names.js', [String(manyArtists)]).next<Search[]>();
  return [
    line(
      `name search over ${manyArtists} artists, the slowest kind`,
      Math.max(...searches.map(({ median }) => median)),
      'ms',
      { atMost: 1 },
      ...searches.map(
        ({ what, found, median, p99 }) =>
          `${what}: median ${median.toFixed(3)} ms, p99 ${p99.toFixed(3)} ms, ${found} found`,
      ),
      'in the process, without HTTP and quota',
    ),
  ];
};
