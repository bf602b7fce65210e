import { groupBy } from '../../src/domain/groups.ts';
import { sum } from '../../src/domain/quantities.ts';
import { isCall, otherCalls, type UsageCount } from '../../src/domain/usage.ts';
import { type Move, pathOf, sumOccurrences } from './evidence.ts';
import { mapping } from './mapping/mapping.ts';

const placeOf = (path: string, { from }: Move): number =>
  mapping.paths.findIndex((row) => row[from] === path);

/** Whether the program read something, or was refused a record that does not exist. */
const isRead = ({ status }: UsageCount): boolean => status === 200 || status === 404;

/**
 * The different calls of a key that were answered with 200 or 404, each with all its parameters as
 * usage names them (`UsageCount.uses`): `/artists?new=14&limit=150`. Those of a path stand
 * together, the most frequent first.
 */
export const findCalls = (counts: readonly UsageCount[], move: Move) => {
  const seen = counts.filter(isRead).flatMap((count) => {
    const path = pathOf(count);
    if (path === undefined || placeOf(path, move) === -1) return [];
    return Object.keys(count.uses)
      .filter((use) => isCall(use) && use !== otherCalls)
      .map((use) => ({ call: `${path}${use === '?' ? '' : use}`, use, path, count }));
  });
  const groups = [...groupBy(seen, ({ call, count: { status } }) => `${status} ${call}`).values()];
  return groups
    .map((group) => {
      const [{ call, use, path, count }] = group;
      const ofUse = ({ uses }: UsageCount): number => uses[use] ?? 0;
      const counted = group.map((one) => one.count);
      return { call, path, status: count.status, ...sumOccurrences(counted, ofUse) };
    })
    .sort(
      (one, other) =>
        placeOf(one.path, move) - placeOf(other.path, move) ||
        one.status - other.status ||
        other.requests - one.requests,
    )
    .map(({ path: _path, ...call }) => call);
};

export type SeenCall = Readonly<ReturnType<typeof findCalls>[number]>;

/**
 * How many requests on known paths were answered so and are none of these calls: of days before
 * calls were counted, or beyond the number of different calls that a day keeps.
 */
export const countUnnamed = (
  counts: readonly UsageCount[],
  calls: readonly SeenCall[],
  move: Move,
): number =>
  sumOccurrences(
    counts.filter((count) => isRead(count) && placeOf(pathOf(count) ?? '', move) !== -1),
  ).requests - sum(calls.map(({ requests }) => requests));
