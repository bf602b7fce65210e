import { compare, formatComparison } from '../load/compare.ts';
import { preloading } from '../process/gateway.ts';
import { line, type Row } from '../row.ts';
import { startPaged } from './gateways.ts';

/** Two in a hundred are near the error of a comparison: this one takes more rounds than others. */
const moreRounds = 6;

export const rateLimit: Row = async (bench) => {
  const withFields = { ...(await startPaged(bench)), name: 'with' };
  const without = { ...(await startPaged(bench, preloading('without/rate-limit-fields.js'))), name: 'without' };
  const rounds = bench.options.rounds * moreRounds;
  const seen = await compare(bench, withFields, without, { rounds });
  const error = (0.93 * seen.cpuSpread) / Math.sqrt(rounds); // of a median, if the rounds are normally distributed
  const what = 'page of 50 with RateLimit fields, against without: processor time';
  return [
    {
      ...line(
        what,
        seen.ratio('cpuUs'),
        '×',
        { atMost: 1.02 },
        ...formatComparison(seen),
        `standard error: ${error.toFixed(3)}`,
      ),
      digits: 3,
    },
  ];
};
