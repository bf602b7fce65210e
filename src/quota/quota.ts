import type { Allowance, QuotaWindow } from '../domain/caller.ts';
import { dayMs, hourMs, minuteMs } from '../domain/time.ts';
import type { QuotaStatus, QuotaStore } from '../ports.ts';

const windowMs: Readonly<Record<QuotaWindow, number>> = {
  minute: minuteMs,
  hour: hourMs,
  day: dayMs,
};

/** The length of a window in milliseconds. */
export const windowLengthMs = (window: QuotaWindow): number => windowMs[window];

/** The end (epoch milliseconds) of the clock-aligned UTC window that contains a time. */
export const windowEnd = (window: QuotaWindow, instant: number): number =>
  (Math.floor(instant / windowMs[window]) + 1) * windowMs[window];

/** One allowance and its status after a request. */
export interface Charge<A extends Allowance> {
  readonly allowance: A;
  readonly status: QuotaStatus;
}

/** The result of consuming one unit of each allowance. */
export interface QuotaResult<A extends Allowance> {
  /** In the order of the allowances. */
  readonly charges: readonly Charge<A>[];
  /** The first used-up allowance. If set, no unit was counted. */
  readonly refusal?: Charge<A>;
  /** Why the store failed. If set, there are no charges. */
  readonly failure?: unknown;
}

/**
 * Refunds one unit of every charge. Rejects if the store does not reply by `deadline`
 * (milliseconds, `Clock.elapsed()`).
 */
export const refund = async (
  store: QuotaStore,
  charges: readonly Charge<Allowance>[],
  deadline: number,
): Promise<void> => {
  await Promise.all(
    charges.map(({ allowance, status }) => store.refund(allowance, status, deadline)),
  );
};

const chargesOf = <A extends Allowance>(
  allowances: readonly A[],
  statuses: readonly QuotaStatus[],
): Charge<A>[] =>
  allowances.map((allowance, index) => {
    const status = statuses[index];
    if (status === undefined) throw new Error('The quota store returned too few statuses.');
    return { allowance, status };
  });

/**
 * Consumes one unit of each allowance, until `deadline` (milliseconds, `Clock.elapsed()`). If any
 * allowance is used up, counts nothing (decisions, "Quotas"). Never rejects: a store outage is the
 * result's `failure`, and the request must be refused.
 */
export const consume = async <A extends Allowance>(
  store: QuotaStore,
  allowances: readonly A[],
  deadline: number,
): Promise<QuotaResult<A>> => {
  try {
    const charges = chargesOf(allowances, await store.consume(allowances, deadline));
    const refusal = charges.find(({ status }) => !status.granted);
    return refusal === undefined ? { charges } : { charges, refusal };
  } catch (failure) {
    return { charges: [], failure };
  }
};
