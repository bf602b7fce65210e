import type { Interval } from '../../test/support/nemesis/history.ts';

/**
 * When a store may have been away, in milliseconds of `performance.now()`; `to` is infinite while
 * it is. `certain` is the part of it in which it had ended and was not yet started again.
 */
export interface Outage {
  readonly from: number;
  to: number;
  certain?: Interval;
}

/** How long a gateway may take to find a store that is back, in milliseconds. */
const reconnectMs = 10_000;

/**
 * By when a gateway has seen a change that came at `at`, if it looks for changes within `boundMs`:
 * later where the store was away meanwhile or shortly before, never while it is.
 */
export const seenBy = (at: number, boundMs: number, outages: readonly Outage[]): number =>
  outages.reduce(
    (by, { from, to }) => (from <= by && to + reconnectMs >= at ? to + reconnectMs + boundMs : by),
    at + boundMs,
  );

/** Whether a request may have met an outage, or the `graceMs` after one. */
export const meetsOutage = (
  outages: readonly Outage[],
  sentAt: number,
  answeredAt: number,
  graceMs: number,
): boolean => outages.some(({ from, to }) => from <= answeredAt && sentAt <= to + graceMs);
