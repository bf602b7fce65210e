import { groupBy } from '../../src/domain/groups.ts';
import { sum } from '../../src/domain/quantities.ts';
import { isCall, otherCalls, type UsageCount } from '../../src/domain/usage.ts';
import { pathOf, requestedMove, sumOccurrences } from './evidence.ts';
import { mapping } from './mapping/mapping.ts';

/** The paths with items, in their order: health needs no key and is the same in both forms. */
const paths = mapping.paths.flatMap(({ items, [requestedMove.from]: path }) =>
  items === undefined || path === undefined ? [] : [path],
);

const placeOf = (count: UsageCount): number => paths.indexOf(pathOf(count) ?? '');

const isRead = (count: UsageCount): boolean =>
  (count.status === 200 || count.status === 404) && placeOf(count) !== -1;

/**
 * The different calls of a key that were answered with 200 or 404, each with all its parameters as
 * usage names them (`UsageCount.uses`): `/artists?new=14&limit=150`. Calls of a path are together,
 * the most frequent first.
 *
 * @param counts requests in the form that the key leaves
 */
export const findCalls = (counts: readonly UsageCount[]) => {
  const seen = counts.filter(isRead).flatMap((count) =>
    Object.keys(count.uses)
      .filter((use) => isCall(use) && use !== otherCalls)
      .map((use) => ({ call: `${pathOf(count)}${use === '?' ? '' : use}`, use, count })),
  );
  const groups = [...groupBy(seen, ({ call, count: { status } }) => `${status} ${call}`).values()];
  return groups
    .map((group) => {
      const [{ call, use, count }] = group;
      const occurrences = sumOccurrences(
        group.map((one) => one.count),
        ({ uses }) => uses[use] ?? 0,
      );
      return { place: placeOf(count), call: { call, status: count.status, ...occurrences } };
    })
    .sort(
      (one, other) =>
        one.place - other.place ||
        one.call.status - other.call.status ||
        other.call.requests - one.call.requests,
    )
    .map(({ call }) => call);
};

export type SeenCall = Readonly<ReturnType<typeof findCalls>[number]>;

/** Requests that usage counted without their query: a day keeps `maxCalls` different ones. */
export const countUnnamed = (counts: readonly UsageCount[], calls: readonly SeenCall[]): number =>
  sumOccurrences(counts.filter(isRead)).requests - sum(calls.map(({ requests }) => requests));
