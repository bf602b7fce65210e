import { dayOf } from '../../src/domain/day.ts';
import { groupBy } from '../../src/domain/groups.ts';
import { sum } from '../../src/domain/quantities.ts';
import type { MinuteCount, UsageCount } from '../../src/domain/usage.ts';
import { maxRequestsOf, planCall, targetOf } from './call-plan.ts';
import { findCalls, type SeenCall } from './calls.ts';
import { requestedMove } from './evidence.ts';

/** Calls of one key on one day that take the same number of further requests each. */
interface Costly {
  readonly further: number;
  left: number;
}

const anyArtist = { fromId: 'from', toId: 'to' };

/** How many requests more than one a call takes after the move, at most. */
const furtherOf = (call: SeenCall, artists: number): number => {
  const plan = planCall(targetOf(call, anyArtist), call.last_day ?? '', anyArtist);
  return maxRequestsOf(plan, artists) - 1;
};

/** How many requests more than today these calls take after the move, at most. */
export const furtherRequests = (calls: readonly SeenCall[], artists: number): number =>
  sum(calls.map((call) => call.requests * furtherOf(call, artists)));

const costlyCalls = (counts: readonly UsageCount[], artists: number): Costly[] =>
  findCalls(counts)
    .map((call) => ({ further: furtherOf(call, artists), left: call.requests }))
    .filter(({ further }) => further > 0)
    .sort((one, other) => other.further - one.further);

/** The most further requests for a minute that has `requests`. Takes the calls off the list. */
const takeFurther = (calls: readonly Costly[], requests: number): number => {
  let room = requests;
  let further = 0;
  for (const call of calls) {
    const taken = Math.min(room, call.left);
    call.left -= taken;
    room -= taken;
    further += taken * call.further;
  }
  return further;
};

/**
 * The requests of each minute as they are after the move of their keys, at most: a call that
 * becomes several pages counts as many requests. Usage knows the calls of a day and the requests of
 * a minute, so the expensive calls of a day are counted in its busiest minutes.
 *
 * @param counts of the keys that move
 * @param artists number of artists on the shortlist
 */
export const requestsAfter = (
  minutes: readonly MinuteCount[],
  counts: readonly UsageCount[],
  artists: number,
): readonly MinuteCount[] => {
  const keyDay = (keyId: string, day: string): string => JSON.stringify([keyId, day]);
  const asked = groupBy(
    counts.filter(({ form }) => form === requestedMove.from),
    ({ keyId, day }) => keyDay(keyId, day),
  );
  const totals = groupBy(minutes, ({ minute }) => minute);
  const further = new Map<MinuteCount, number>();
  for (const [id, own] of groupBy(minutes, (one) => keyDay(one.keyId, dayOf(one.minute)))) {
    const calls = costlyCalls(asked.get(id) ?? [], artists);
    if (calls.length === 0) continue;
    const busy = own.map((one) => {
      const all = sum((totals.get(one.minute) ?? []).map(({ requests }) => requests));
      const most = takeFurther(
        calls.map((call) => ({ ...call })),
        one.requests,
      );
      return { one, total: all + most };
    });
    for (const { one } of busy.sort((left, right) => right.total - left.total))
      further.set(one, takeFurther(calls, one.requests));
  }
  return minutes.map((one) => ({ ...one, requests: one.requests + (further.get(one) ?? 0) }));
};
