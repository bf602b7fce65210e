import { crosswalk } from '../crosswalk/crosswalk.ts';
import type { UsageCount } from '../domain/usage.ts';
import { allRequests, type Move, type Occurrences, seenIn } from './evidence.ts';

/** A status that a partner has met, and what the other form says for it. */
export interface ErrorFinding extends Occurrences {
  readonly status: number;
  /** `429 rate_limited`, one for each problem that it may have been. */
  readonly instead: readonly string[];
}

const errorFrom = 400;

/** What the other form says to problems that this form says with a status. */
const saidInstead = (status: number, { from, to }: Move): readonly string[] => {
  const said = crosswalk.problems
    .filter((row) => row[from]?.status === status)
    .map((row) => row[to])
    .filter((one) => one !== undefined);
  return [...new Set(said.map((one) => `${one.status} ${one.code}`))];
};

/** The errors that a partner has met, by status. */
export const findErrors = (counts: readonly UsageCount[], move: Move): ErrorFinding[] => {
  const met = new Set(counts.map(({ status }) => status).filter((status) => status >= errorFrom));
  const statuses = [...met].sort((one, other) => one - other);
  return statuses.map((status) => ({
    status,
    instead: saidInstead(status, move),
    ...seenIn(
      counts.filter((count) => count.status === status),
      allRequests,
    ),
  }));
};
