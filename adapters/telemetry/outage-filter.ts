import type { Clock } from '../../src/ports.ts';
import { StoreError } from '../../src/runtime/store-error.ts';

/**
 * How often the same outage of a store is logged, in milliseconds: every request and every refresh
 * meets it.
 */
const repeatMs = 30_000;

/** Outages differ in store and reason, of which there are few at a time. */
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
 * Creates the filter of a log's facts. Facts whose `err` is a `StoreError`, or has one as its
 * cause, get its message as `reason` and what to do as `remedy` instead. Within 30 seconds the same
 * outage passes once, whatever the event; the next line counts the others in `repeated`. Returns
 * `undefined` for a line to leave out.
 */
export const createOutageFilter = (clock: Clock) => {
  const outages = new Map<string, Outage>(); // by message, the last to be logged at the end
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
