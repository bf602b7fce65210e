import type { Allowance, QuotaWindow } from './caller.ts';
import type { QuotaStore, Standing } from './ports.ts';
import { Problem } from './problem.ts';

const windowMs: Readonly<Record<QuotaWindow, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** Length of a window in milliseconds. */
export const lengthOf = (window: QuotaWindow): number => windowMs[window];

/** End (epoch milliseconds) of the clock-aligned UTC window that an instant falls in. */
export const windowEnd = (window: QuotaWindow, instant: number): number =>
  (Math.floor(instant / windowMs[window]) + 1) * windowMs[window];

/** One allowance and how its subject stands after this request. */
export interface Spent<A extends Allowance> {
  readonly allowance: A;
  readonly standing: Standing;
}

/** What a request cost, in the order the allowances were given. */
export interface Receipt<A extends Allowance> {
  readonly spent: readonly Spent<A>[];
  /** The allowance that had no room; then nothing is counted in any. */
  readonly refusal: Spent<A> | undefined;
}

const orUnavailable = async <Value>(answer: Promise<Value>): Promise<Value> => {
  try {
    return await answer;
  } catch (cause) {
    throw new Problem('unavailable', 'Usage controls are temporarily unavailable.', { cause });
  }
};

/** Gives back one unit of every allowance that was spent. */
export const giveBack = async (store: QuotaStore, spent: readonly Spent<Allowance>[]): Promise<void> => {
  await Promise.all(spent.map(({ allowance, standing }) => store.giveBack(allowance, standing)));
};

/**
 * Spends one unit of each allowance, the shortest window first. The first refusal ends it: what was spent before is given
 * back, what comes after is only read, so that the answer can tell how every window stands. Raises `unavailable` when the
 * store cannot answer; never lets a request through uncounted.
 */
export const spend = async <A extends Allowance>(store: QuotaStore, allowances: readonly A[]): Promise<Receipt<A>> => {
  const spent: Spent<A>[] = [];
  for (const [place, allowance] of allowances.entries()) {
    const standing = await orUnavailable(store.spend(allowance));
    if (standing.granted) {
      spent.push({ allowance, standing });
      continue;
    }
    const refusal = { allowance, standing };
    const before = spent.map(({ allowance, standing }) => ({
      allowance,
      standing: { ...standing, used: standing.used - 1 },
    }));
    await orUnavailable(giveBack(store, spent));
    const after = allowances
      .slice(place + 1)
      .map(async (allowance) => ({ allowance, standing: await store.read(allowance) }));
    return { spent: [...before, refusal, ...(await orUnavailable(Promise.all(after)))], refusal };
  }
  return { spent, refusal: undefined };
};
