import type { Allowance, QuotaWindow } from './caller.ts';
import type { QuotaStore, Standing } from './ports.ts';

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
  readonly refusal?: Spent<A>;
  /** Why the store could not judge; then `spent` is what it had counted until it failed. */
  readonly failure?: unknown;
}

/** Gives back one unit of every allowance that was spent. */
export const giveBack = async (
  store: QuotaStore,
  spent: readonly Spent<Allowance>[],
  deadline: number,
): Promise<void> => {
  await Promise.all(spent.map(({ allowance, standing }) => store.giveBack(allowance, standing, deadline)));
};

/** After a refusal: gives back what was spent before it, and reads what comes after it, so that every window can be told. */
const settle = async <A extends Allowance>(
  store: QuotaStore,
  before: readonly Spent<A>[],
  refusal: Spent<A>,
  after: readonly A[],
  deadline: number,
): Promise<Receipt<A>> => {
  await giveBack(store, before, deadline);
  const returned = before.map(({ allowance, standing }) => ({
    allowance,
    standing: { ...standing, used: standing.used - 1 },
  }));
  const unspent = after.map(async (allowance) => ({ allowance, standing: await store.read(allowance, deadline) }));
  return { spent: [...returned, refusal, ...(await Promise.all(unspent))], refusal };
};

/**
 * Spends one unit of each allowance, the shortest window first; the first refusal ends it and nothing is counted.
 * Never rejects: a store that cannot judge is told as a failure, and the request must not be let through.
 */
export const spend = async <A extends Allowance>(
  store: QuotaStore,
  allowances: readonly A[],
  deadline: number,
): Promise<Receipt<A>> => {
  const spent: Spent<A>[] = [];
  try {
    for (const allowance of allowances) {
      const standing = await store.spend(allowance, deadline);
      if (!standing.granted) {
        const before = spent.splice(0); // what is being settled must not be given back once more if that fails
        return await settle(
          store,
          before,
          { allowance, standing },
          allowances.slice(allowances.indexOf(allowance) + 1),
          deadline,
        );
      }
      spent.push({ allowance, standing });
    }
    return { spent };
  } catch (failure) {
    return { spent, failure };
  }
};
