import type { Allowance, QuotaWindow } from '../domain/caller.ts';
import type { QuotaStatus, QuotaStore } from '../ports.ts';

const windowMs: Readonly<Record<QuotaWindow, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** Length of a window in milliseconds. */
export const windowLengthMs = (window: QuotaWindow): number => windowMs[window];

/** End (epoch milliseconds) of the clock-aligned UTC window that an instant falls in. */
export const windowEnd = (window: QuotaWindow, instant: number): number =>
  (Math.floor(instant / windowMs[window]) + 1) * windowMs[window];

/** One allowance and how its subject stands after this request. */
export interface Charge<A extends Allowance> {
  readonly allowance: A;
  readonly status: QuotaStatus;
}

/** What a request cost, in the order the allowances were given. */
export interface QuotaResult<A extends Allowance> {
  readonly charges: readonly Charge<A>[];
  /** The allowance that had no room; then nothing is counted in any. */
  readonly refusal?: Charge<A>;
  /** Why the store could not answer; `charges` is what it had counted before it failed. */
  readonly failure?: unknown;
}

/** Refunds one unit of every charge. Rejects when the store cannot answer by the deadline (milliseconds, `Clock.elapsed()`). */
export const refund = async (
  store: QuotaStore,
  charges: readonly Charge<Allowance>[],
  deadline: number,
): Promise<void> => {
  await Promise.all(charges.map(({ allowance, status }) => store.refund(allowance, status, deadline)));
};

/** After a refusal: refunds the charges before it and reads the windows after it, so that the headers can report every window. */
const settle = async <A extends Allowance>(
  store: QuotaStore,
  before: readonly Charge<A>[],
  refusal: Charge<A>,
  after: readonly A[],
  deadline: number,
): Promise<QuotaResult<A>> => {
  await refund(store, before, deadline);
  const returned = before.map(({ allowance, status }) => ({
    allowance,
    status: { ...status, used: status.used - 1 },
  }));
  const unspent = after.map(async (allowance) => ({ allowance, status: await store.read(allowance, deadline) }));
  return { charges: [...returned, refusal, ...(await Promise.all(unspent))], refusal };
};

/**
 * Spends one unit of each allowance, the shortest window first; the first refusal ends it and nothing is counted.
 * Never rejects: a store that cannot judge is told as a failure, and the request must not be let through.
 */
export const consume = async <A extends Allowance>(
  store: QuotaStore,
  allowances: readonly A[],
  deadline: number,
): Promise<QuotaResult<A>> => {
  const charges: Charge<A>[] = [];
  try {
    for (const allowance of allowances) {
      const status = await store.consume(allowance, deadline);
      if (!status.granted) {
        const before = charges.splice(0); // already being refunded: must not be refunded once more if that fails
        return await settle(
          store,
          before,
          { allowance, status },
          allowances.slice(allowances.indexOf(allowance) + 1),
          deadline,
        );
      }
      charges.push({ allowance, status });
    }
    return { charges };
  } catch (failure) {
    return { charges, failure };
  }
};
