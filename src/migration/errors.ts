import { crosswalk } from '../crosswalk/crosswalk.ts';
import { groupBy } from '../domain/groups.ts';
import type { UsageCount } from '../domain/usage.ts';
import { allRequests, type Move, type Occurrences, sumOccurrences } from './evidence.ts';

/** An error status that a partner received, and what the other form answers instead. */
export interface ErrorFinding extends Occurrences {
  readonly status: number;
  /** Status and code, like `429 rate_limited`: one for each problem behind the status. */
  readonly instead: readonly string[];
}

const minErrorStatus = 400;

/** Status and code in the other form, of every problem that has this status in the form left. */
const errorsInstead = (status: number, { from, to }: Move): readonly string[] => {
  const entries = crosswalk.problems
    .filter((row) => row[from]?.status === status)
    .map((row) => row[to])
    .filter((entry) => entry !== undefined);
  return [...new Set(entries.map((entry) => `${entry.status} ${entry.code}`))];
};

/** The errors that a partner received, by status. */
export const findErrors = (counts: readonly UsageCount[], move: Move): ErrorFinding[] =>
  [...groupBy(counts, ({ status }) => status)]
    .filter(([status]) => status >= minErrorStatus)
    .sort(([one], [other]) => one - other)
    .map(([status, received]) => ({
      status,
      instead: errorsInstead(status, move),
      ...sumOccurrences(received, allRequests),
    }));
