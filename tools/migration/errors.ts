import { groupBy } from '../../src/domain/groups.ts';
import type { UsageCount } from '../../src/domain/usage.ts';
import { crosswalk } from '../crosswalk/crosswalk.ts';
import { type Move, pathOf, sumOccurrences } from './evidence.ts';

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

/** Whether the answer is one of a behaviour that the other form does not have. */
const isBehaviour = (count: UsageCount, { from }: Move): boolean =>
  from === 'variant' &&
  crosswalk.behaviours.some(
    ({ evidence }) =>
      evidence !== undefined &&
      'status' in evidence &&
      evidence.status === count.status &&
      evidence.path === pathOf(count),
  );

/**
 * The error statuses that a partner received, and what the other form answers instead; without
 * those that the behaviours tell of.
 */
export const findErrors = (counts: readonly UsageCount[], move: Move) =>
  [...groupBy(counts, ({ status }) => status)]
    .map(([status, all]) => [status, all.filter((count) => !isBehaviour(count, move))] as const)
    .filter(([status, all]) => status >= minErrorStatus && all.length > 0)
    .sort(([one], [other]) => one - other)
    .map(([status, received]) => ({
      status,
      instead: errorsInstead(status, move),
      ...sumOccurrences(received),
    }));
