import { takeTurn } from '../load/compare.ts';
import { type Line, line, type Row } from '../row.ts';
import { allowedRate, startCrowd } from './crowd.ts';

/** Twice what the quotas allow, in requests a second. */
const rate = 2 * allowedRate;

/** How often 1 % of the artists change, in milliseconds. */
const changeMs = 15_000;

const restartEveryMs = 300_000;
const mongodbDownMs = 10_000;

/**
 * The growth of memory from the second to the last quarter, by the least of each: a sample may meet
 * two snapshots, since artists change.
 */
const growthLine = (used: readonly number[], minutes: number): Line => {
  const length = Math.ceil(used.length / 4);
  const least = [0, 1, 2, 3].map((quarter) =>
    Math.min(...used.slice(quarter * length, (quarter + 1) * length)),
  );
  const [, second = Number.NaN, , last = Number.NaN] = least;
  const what = 'soak: memory in use, from the second to the last quarter: growth';
  return line(what, last - second, 'MiB', { atMost: 10 }, [
    `least of each quarter of ${minutes} minutes: ${least.map((each) => each.toFixed(1)).join(', ')} MiB`,
  ]);
};

/**
 * Looks for leaks, only if it is named: for `--minutes`, the crowd at twice the load that quotas
 * allow, while artists change and MongoDB is restarted every five minutes. Fails at a response that
 * is not 200.
 */
export const soak: Row = async (bench) => {
  const { minutes } = bench.options;
  const { gateway, database, all } = await startCrowd(bench);
  const used: number[] = [];
  let restarts = 0;
  const begin = performance.now();
  while (performance.now() < begin + minutes * 60_000) {
    database.change(100);
    if (performance.now() > begin + (restarts + 1) * restartEveryMs) {
      restarts += 1;
      await database.restart(mongodbDownMs);
    }
    await takeTurn(bench, [all], { connections: 64, ms: changeMs, rate });
    const { heap, used: inUse } = await gateway.collected();
    used.push(inUse);
    const elapsed = ((performance.now() - begin) / 60_000).toFixed(1);
    process.stderr.write(
      `  ${elapsed} min: ${inUse.toFixed(1)} MiB in use (${heap.toFixed(1)} of objects)\n`,
    );
  }
  const grown = growthLine(used, minutes);
  const notes = [`${used.length} changes of 1 % of the artists, ${restarts} restarts of MongoDB`];
  return [{ ...grown, notes: [...grown.notes, ...notes] }];
};
