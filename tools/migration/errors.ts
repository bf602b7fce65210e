import { groupBy } from '../../src/domain/groups.ts';
import type { UsageCount } from '../../src/domain/usage.ts';
import { crosswalk } from '../crosswalk/crosswalk.ts';
import { type Move, sumOccurrences } from './evidence.ts';

const minErrorStatus = 400;

/**
 * Status and code in the other form, like `429 rate_limited`, of every problem that has this status
 * in the form left.
 */
const errorsInstead = (status: number, { from, to }: Move): readonly string[] => {
  const entries = crosswalk.problems
    .filter((row) => row[from]?.status === status)
    .map((row) => row[to])
    .filter((entry) => entry !== undefined);
  return [...new Set(entries.map((entry) => `${entry.status} ${entry.code}`))];
};

/** The error statuses that a partner received, and what the other form answers instead. */
export const findErrors = (counts: readonly UsageCount[], move: Move) =>
  [...groupBy(counts, ({ status }) => status)]
    .filter(([status]) => status >= minErrorStatus)
    .sort(([one], [other]) => one - other)
    .map(([status, received]) => ({
      status,
      instead: errorsInstead(status, move),
      ...sumOccurrences(received),
    }));
