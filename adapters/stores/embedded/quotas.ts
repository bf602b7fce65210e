import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Allowance } from '../../../src/domain/caller.ts';
import type { Clock, QuotaStatus, QuotaStore } from '../../../src/ports.ts';
import { windowEnd } from '../../../src/quota/quota.ts';

/**
 * Creates quotas that are counted in this process, in windows of the gateway's clock. Only for a
 * single gateway: each of several would grant the whole quota. Never rejects.
 */
export const createEmbeddedQuotas = (clock: Clock): QuotaStore => {
  // Limits differ by subject and may change within a window, so the limiter only counts and this
  // store compares. The limiter's windows begin at the first request; these windows are
  // clock-aligned, so the window's end is part of the key.
  const counter = new RateLimiterMemory({
    keyPrefix: 'quota',
    points: Number.MAX_SAFE_INTEGER,
    duration: 60,
  });

  const keyOf = ({ subject, window }: Allowance, endsAt: number): string =>
    `${subject}:${window}:${endsAt}`;

  const status = (
    allowance: Allowance,
    used: number,
    endsAt: number,
    now: number,
    granted: boolean,
  ): QuotaStatus => ({
    granted,
    used: Math.min(used, allowance.limit),
    endsAt,
    msLeft: endsAt - now,
  });

  const usedOf = async (key: string): Promise<number> =>
    Math.max((await counter.get(key))?.consumedPoints ?? 0, 0);

  let last: Promise<unknown> = Promise.resolve();
  /** Runs calls that read and then count one after the other. */
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const done = last.then(work, work);
    last = done;
    return done;
  };

  return {
    consume: (allowances) =>
      inTurn(async () => {
        const now = clock.now();
        const windows = allowances.map((allowance) => {
          const endsAt = windowEnd(allowance.window, now);
          return { allowance, endsAt, key: keyOf(allowance, endsAt) };
        });
        const used = await Promise.all(windows.map(({ key }) => usedOf(key)));
        const granted = allowances.map(({ limit }, index) => (used[index] ?? 0) < limit);
        const counted = granted.every(Boolean) ? 1 : 0;
        for (const { key, endsAt } of counted === 1 ? windows : []) {
          await counter.penalty(key, 1, { customDuration: Math.ceil((endsAt - now) / 1000) });
        }
        return windows.map(({ allowance, endsAt }, index) =>
          status(allowance, (used[index] ?? 0) + counted, endsAt, now, granted[index] === true),
        );
      }),

    refund: (allowance, { endsAt }) =>
      inTurn(async () => {
        const key = keyOf(allowance, endsAt);
        if ((await usedOf(key)) > 0) await counter.reward(key, 1);
      }),

    async read(allowance) {
      const now = clock.now();
      const endsAt = windowEnd(allowance.window, now);
      const used = await usedOf(keyOf(allowance, endsAt));
      return status(allowance, used, endsAt, now, used < allowance.limit);
    },
  };
};
