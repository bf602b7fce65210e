import type { Clock } from '../../src/ports.ts';
import { StoreError } from '../../src/runtime/store-error.ts';

/**
 * Minimum time between log lines of the same outage, in milliseconds: every request and every
 * refresh reports it.
 */
const repeatMs = 30_000;

/** Maximum number of outages: they differ in store and reason, and few occur together. */
const maxOutages = 100;

const storeErrorIn = (thrown: unknown): StoreError | undefined => {
  if (thrown instanceof StoreError) return thrown;
  return thrown instanceof Error && thrown.cause instanceof StoreError ? thrown.cause : undefined;
};

interface Outage {
  readonly loggedAt: number;
  repeated: number;
}

/**
 * Rate-limits log lines about store outages: one line per outage in 30 seconds, for all events
 * together. The next line has the number of suppressed lines in `repeated`. Replaces a `StoreError`
 * in `err`, or in its cause, with `reason` and `remedy`. Returns `undefined` to suppress a line.
 */
export const createOutageFilter = (clock: Clock) => {
  const outages = new Map<string, Outage>(); // by message, the last logged at the end
  return (facts: unknown): unknown => {
    if (typeof facts !== 'object' || facts === null || !('err' in facts)) return facts;
    const { err, ...others } = facts;
    const error = storeErrorIn(err);
    if (error === undefined) return facts;
    const now = clock.elapsed();
    const before = outages.get(error.message);
    if (before !== undefined && now - before.loggedAt < repeatMs) {
      before.repeated += 1;
      return undefined;
    }
    outages.delete(error.message);
    const [oldest] = outages.keys();
    if (oldest !== undefined && outages.size >= maxOutages) outages.delete(oldest);
    outages.set(error.message, { loggedAt: now, repeated: 0 });
    return {
      ...others,
      reason: error.message,
      ...(error.remedy !== undefined && { remedy: error.remedy }),
      ...(before?.repeated && { repeated: before.repeated }),
    };
  };
};
