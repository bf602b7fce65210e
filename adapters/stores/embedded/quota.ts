import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Allowance } from '../../../src/domain/caller.ts';
import type { Clock, QuotaStatus, QuotaStore } from '../../../src/ports.ts';
import { windowEnd } from '../../../src/quota/quota.ts';

/**
 * Creates quotas that are counted in this process, in windows of the gateway's clock. For one gateway only: each of several
 * would grant the whole quota. Never rejects.
 */
export const createEmbeddedQuotas = (clock: Clock): QuotaStore => {
  // Limits differ by subject and may change within a window, so the limiter only counts and this store compares. The
  // limiter's windows begin at the first request; ours are clock-aligned, so the window's end is part of the key.
  const counter = new RateLimiterMemory({ keyPrefix: 'quota', points: Number.MAX_SAFE_INTEGER, duration: 60 });

  const keyOf = ({ subject, window }: Allowance, endsAt: number): string => `${subject}:${window}:${endsAt}`;

  const status = (allowance: Allowance, used: number, endsAt: number, now: number, granted: boolean): QuotaStatus => ({
    granted,
    used: Math.min(used, allowance.limit),
    endsAt,
    msLeft: endsAt - now,
  });

  const usedOf = (result: RateLimiterRes | null): number => Math.max(result?.consumedPoints ?? 0, 0);

  return {
    async consume(allowance) {
      const now = clock.now();
      const endsAt = windowEnd(allowance.window, now);
      const key = keyOf(allowance, endsAt);
      const seconds = Math.ceil((endsAt - now) / 1000);
      const counted = await counter.penalty(key, 1, { customDuration: seconds });
      const granted = counted.consumedPoints <= allowance.limit;
      if (!granted) await counter.reward(key, 1, { customDuration: seconds });
      return status(allowance, counted.consumedPoints, endsAt, now, granted);
    },

    async refund(allowance, { endsAt }) {
      const key = keyOf(allowance, endsAt);
      if (usedOf(await counter.get(key)) > 0) await counter.reward(key, 1);
    },

    async read(allowance) {
      const now = clock.now();
      const endsAt = windowEnd(allowance.window, now);
      const used = usedOf(await counter.get(keyOf(allowance, endsAt)));
      return status(allowance, used, endsAt, now, used < allowance.limit);
    },
  };
};
