import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { Allowance, QuotaWindow } from '../../../src/domain/caller.ts';
import { windowLengthMs } from '../../../src/quota/quota.ts';
import type { RedisClient } from './connection.ts';
import { windowScript } from './window.lua.ts';

/** So many limiters of each window are kept, the newest. Each is but a limit and a window: counts are in Redis. */
const keptLimiters = 1_000;

const keyPrefix = 'quota';

/** The tag in braces keeps all windows of a subject on one node of a cluster. */
export const keyOf = ({ subject, window }: Allowance): string => `{${subject}}:${window}`;

/** The whole key of an allowance's count in Redis. */
export const countKeyOf = (allowance: Allowance): string => `${keyPrefix}:${keyOf(allowance)}`;

/** One limiter for each limit and window, made when it is first asked for. */
export const createLimiters = (client: RedisClient): ((allowance: Allowance) => RateLimiterRedis) => {
  const make = ({ limit, window }: Allowance): RateLimiterRedis =>
    new RateLimiterRedis({
      storeClient: client,
      keyPrefix,
      points: limit,
      duration: windowLengthMs(window) / 1000,
      // The library defines one command per client for all limiters, so all of them must bring the same script.
      customIncrTtlLuaScript: windowScript,
      // No insurance limiter and no memory of blocked keys: Redis is the only judge (decisions, "Quotas").
      rejectIfRedisNotReady: true,
    });
  const byWindow = new Map<QuotaWindow, Map<number, RateLimiterRedis>>();
  return (allowance) => {
    const byLimit = byWindow.get(allowance.window) ?? new Map<number, RateLimiterRedis>();
    byWindow.set(allowance.window, byLimit);
    const kept = byLimit.get(allowance.limit);
    if (kept !== undefined) return kept;
    const limiter = make(allowance);
    const [oldest] = byLimit.keys();
    if (byLimit.size >= keptLimiters && oldest !== undefined) byLimit.delete(oldest);
    byLimit.set(allowance.limit, limiter);
    return limiter;
  };
};
