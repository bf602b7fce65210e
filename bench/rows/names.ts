import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { start } from '../process/started.ts';
import { atMost, type Row } from '../row.ts';

interface Search {
  readonly what: string;
  readonly found: number;
  readonly median: number;
  readonly p99: number;
}

export const names: Row = {
  name: 'names',
  async measure({ options }) {
    const artists = options.quick ? 5_000 : 50_000;
    const file = fileURLToPath(new URL('../in-process/search-names.js', import.meta.url));
    const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
    const { child } = start(process.execPath, [file, String(artists)], { stdio: [...stdio] });
    const ended = once(child, 'exit').then(() => Promise.reject(new Error('the search ended without a result')));
    const [searches = []]: Search[][] = await Promise.race([once(child, 'message'), ended]);
    ended.catch(() => {}); // it ends after its result
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
