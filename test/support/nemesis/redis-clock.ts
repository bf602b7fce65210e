import type { QuotaWindow } from '../../../src/domain/caller.ts';
import { windowLengthMs } from '../../../src/quota/quota.ts';
import type { ClockStep, History } from './history.ts';

/**
 * A clock that is set takes effect within this time (milliseconds); answers on their way may show
 * either.
 */
export const stepSlackMs = 1_500;

/** How far the clocks of observer and Redis may be misjudged, in milliseconds. */
export const readingSlackMs = 150;

/** The offsets of the clock that an answer between two instants may show. */
export const offsetsBetween = (clock: readonly ClockStep[], from: number, to: number): number[] =>
  clock
    .filter(({ at }, index) => {
      const next = clock[index + 1]?.at ?? Number.POSITIVE_INFINITY;
      return at <= to && next + stepSlackMs > from;
    })
    .map(({ offset }) => offset);

/**
 * True if the Redis clock was in the window that ends at `reset` (epoch seconds) at some time
 * between two times of the observer.
 */
export const isInWindow = (
  clock: readonly ClockStep[],
  window: QuotaWindow,
  reset: number,
  from: number,
  to: number,
): boolean =>
  offsetsBetween(clock, from, to).some(
    (offset) =>
      to + offset + readingSlackMs >= reset * 1000 - windowLengthMs(window) &&
      from + offset - readingSlackMs < reset * 1000,
  );

/**
 * How often the clock entered the window that ends at `reset`: more than once if it was set back. A
 * count starts again then.
 */
export const visits = (
  { clock, exchanges }: History,
  window: QuotaWindow,
  reset: number,
): number => {
  const end = Math.max(0, ...exchanges.map(({ answeredAt }) => answeredAt));
  const [start, stop] = [reset * 1000 - windowLengthMs(window), reset * 1000];
  let count = 0;
  let wasInside = false;
  for (const [index, { at, offset }] of clock.entries()) {
    const [begins, ends] = [at + offset, (clock[index + 1]?.at ?? end) + offset];
    const meets = begins - stepSlackMs < stop && ends + stepSlackMs > start;
    const entersAnew = !wasInside || begins - stepSlackMs < start || begins + stepSlackMs > stop;
    if (meets && entersAnew) count += 1;
    wasInside = meets && ends - stepSlackMs > start && ends + stepSlackMs < stop;
  }
  return Math.max(1, count);
};
