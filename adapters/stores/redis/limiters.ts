import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { Allowance, QuotaWindow } from '../../../src/domain/caller.ts';
import { windowLengthMs } from '../../../src/quota/quota.ts';
import type { RedisClient } from './connection.ts';
import { windowScript } from './window.lua.ts';

/** Limiters per window; the oldest is dropped. A limiter holds a limit and a window, the counts are in Redis. */
const maxLimiters = 1_000;

const keyPrefix = 'quota';

/** The limiter's key of an allowance. The hash tag in braces keeps all windows of a subject on one node of a cluster. */
export const keyOf = ({ subject, window }: Allowance): string => `{${subject}}:${window}`;

/** The Redis key of an allowance's count. */
export const countKeyOf = (allowance: Allowance): string => `${keyPrefix}:${keyOf(allowance)}`;

/** Creates a function that returns the limiter of an allowance: one per limit and window. */
export const createLimiters = (client: RedisClient): ((allowance: Allowance) => RateLimiterRedis) => {
  const make = ({ limit, window }: Allowance): RateLimiterRedis =>
    new RateLimiterRedis({
      storeClient: client,
      keyPrefix,
      points: limit,
      duration: windowLengthMs(window) / 1000,
      // The library defines one command per client for all limiters, so all of them must bring the same script.
      customIncrTtlLuaScript: windowScript,
      // No insurance limiter and no cache of blocked keys: Redis alone decides (decisions, "Quotas").
      rejectIfRedisNotReady: true,
    });
  const byWindow = new Map<QuotaWindow, Map<number, RateLimiterRedis>>();
  return (allowance) => {
    const byLimit = byWindow.get(allowance.window) ?? new Map<number, RateLimiterRedis>();
    byWindow.set(allowance.window, byLimit);
    const known = byLimit.get(allowance.limit);
    if (known !== undefined) return known;
    const limiter = make(allowance);
    const [oldest] = byLimit.keys();
    if (byLimit.size >= maxLimiters && oldest !== undefined) byLimit.delete(oldest);
    byLimit.set(allowance.limit, limiter);
    return limiter;
  };
};
