import { findAblation, writeAblatedPackage } from '../ablation/ablated-package.ts';
import { compare, formatComparison } from '../load/compare.ts';
import { atMost, type Row } from '../row.ts';
import { startPaged } from './pages.ts';

/** Two in a hundred are near the error of a comparison: this one takes more rounds than others. */
const moreRounds = 6;

export const rateLimit: Row = {
  name: 'rate-limit',
  async measure(bench) {
    const folder = writeAblatedPackage(bench.folder, findAblation('rate-limit-fields'));
    const withFields = { ...(await startPaged(bench)), name: 'with' };
    const without = { ...(await startPaged(bench, {}, folder)), name: 'without' };
    const rounds = bench.options.rounds * moreRounds;
    const seen = await compare(bench.generator, withFields, without, { ...bench.options, rounds });
    const error = (0.93 * seen.cpuSpread) / Math.sqrt(rounds); // of a median, if the rounds are normally distributed
    const line = atMost('page of 50 with RateLimit fields, against without: processor time', 1.02, '×', seen.cpuRatio, [
      ...formatComparison(seen),
      `standard error: ${error.toFixed(3)}`,
    ]);
    return [{ ...line, figure: { value: seen.cpuRatio, unit: '×', digits: 3 } }];
  },
};
