import type { Allowance, QuotaWindow } from '../domain/caller.ts';
import type { QuotaStatus, QuotaStore } from '../ports.ts';

const windowMs: Readonly<Record<QuotaWindow, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** The length of a window in milliseconds. */
export const windowLengthMs = (window: QuotaWindow): number => windowMs[window];

/** The end (epoch milliseconds) of the clock-aligned UTC window that contains an instant. */
export const windowEnd = (window: QuotaWindow, instant: number): number =>
  (Math.floor(instant / windowMs[window]) + 1) * windowMs[window];

/** One allowance and its status after this request. */
export interface Charge<A extends Allowance> {
  readonly allowance: A;
  readonly status: QuotaStatus;
}

/** The result of consuming one unit of each allowance. */
export interface QuotaResult<A extends Allowance> {
  /** In the order of the allowances. */
  readonly charges: readonly Charge<A>[];
  /** The allowance that is spent; then no unit is counted in any. */
  readonly refusal?: Charge<A>;
  /** Why the store could not answer; `charges` are the units counted before it failed. */
  readonly failure?: unknown;
}

/** Refunds one unit of every charge. Rejects when the store cannot answer by `deadline` (milliseconds, `Clock.elapsed()`). */
export const refund = async (
  store: QuotaStore,
  charges: readonly Charge<Allowance>[],
  deadline: number,
): Promise<void> => {
  await Promise.all(charges.map(({ allowance, status }) => store.refund(allowance, status, deadline)));
};

/** After a refusal: refunds the charges before it and reads the windows after it, so that the headers can report every window. */
const reportRefusal = async <A extends Allowance>(
  store: QuotaStore,
  before: readonly Charge<A>[],
  refusal: Charge<A>,
  after: readonly A[],
  deadline: number,
): Promise<QuotaResult<A>> => {
  await refund(store, before, deadline);
  const refunded = before.map(({ allowance, status }) => ({
    allowance,
    status: { ...status, used: status.used - 1 },
  }));
  const unspent = after.map(async (allowance) => ({ allowance, status: await store.read(allowance, deadline) }));
  return { charges: [...refunded, refusal, ...(await Promise.all(unspent))], refusal };
};

/**
 * Consumes one unit of each allowance, shortest window first, until `deadline` (milliseconds, `Clock.elapsed()`). The first
 * refusal ends it, and nothing is counted (decisions, "Quotas"). Never rejects: an outage of the store is the result's
 * `failure`, and the request must be refused.
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
        const before = charges.splice(0); // refunded here: `charges` of a failure must not hold them once more
        return await reportRefusal(
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
