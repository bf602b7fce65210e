import { type RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Allowance } from '../../../src/domain/caller.ts';
import type { Clock, QuotaStatus } from '../../../src/ports.ts';
import { windowLengthMs } from '../../../src/quota/quota.ts';
import type { RedisClient } from './connection.ts';
import { reasonOf, unavailableError, withDeadline } from './errors.ts';
import { createLimiters, keyOf } from './limiters.ts';
import type { RedisTime } from './time.ts';
import { lateError, maxWaitMs } from './window.lua.ts';
import { createWriteBatcher } from './write-batching.ts';

/** A call of a limiter's method. `customDuration` is the command's deadline, see `createRedisCounter`. */
export type LimiterCommand = (
  limiter: RateLimiterRedis,
  key: string,
  options: { customDuration: number },
) => Promise<RateLimiterRes>;

export interface RedisCounter {
  /**
   * Sends a command that Redis executes only before `deadline` (milliseconds, `Clock.elapsed()`). Resolves also when the quota
   * is spent; rejects when Redis does not reply by the deadline. A reply after the deadline is passed to `late`.
   */
  send(
    allowance: Allowance,
    deadline: number,
    command: LimiterCommand,
    late: (status: QuotaStatus) => void,
  ): Promise<QuotaStatus>;
  /** Gives one unit back to the window that ends at `endsAt` (epoch milliseconds, Redis' clock), unless it has ended. */
  refund(allowance: Allowance, endsAt: number): Promise<void>;
}

/**
 * Creates the counter. rate-limiter-flexible carries the script (`window.lua.ts`) to Redis and nothing else: windows, deadlines
 * and outages are handled here.
 *
 * A command that timed out is still on its way, and a frozen server would count it when it resumes. So every command carries
 * its deadline in Redis' time, which a wrong clock of a gateway cannot move. The library passes only `customDuration` from a
 * caller to the script, as floor(customDuration * 1000 / 1000): exact for whole milliseconds until the year 2255. The
 * window's length is the limiter's `duration`.
 */
export const createRedisCounter = (client: RedisClient, clock: Clock, time: RedisTime): RedisCounter => {
  const limiterOf = createLimiters(client);
  const batchWrites = createWriteBatcher(client);

  /** `endsAt` is rounded to a window boundary: Redis replies with the milliseconds left, and the offset is an estimate. */
  const statusOf = (
    { window, limit }: Allowance,
    result: RateLimiterRes,
    offset: number,
    granted: boolean,
  ): QuotaStatus => {
    const lengthMs = windowLengthMs(window);
    const msLeft = result.msBeforeNext;
    const endsAt = Math.round((clock.elapsed() + offset + msLeft) / lengthMs) * lengthMs;
    return { granted, used: Math.min(result.consumedPoints, limit), endsAt, msLeft };
  };

  return {
    send(allowance, deadline, command, late) {
      const execute = async (): Promise<QuotaStatus> => {
        const now = clock.elapsed();
        if (deadline <= now) throw unavailableError('the deadline has passed');
        const offset = time.offset();
        const customDuration = Math.floor(Math.min(deadline, now + maxWaitMs) + offset);
        try {
          batchWrites();
          const result = await command(limiterOf(allowance), keyOf(allowance), { customDuration });
          return statusOf(allowance, result, offset, true);
        } catch (thrown) {
          if (thrown instanceof RateLimiterRes) return statusOf(allowance, thrown, offset, false);
          if (reasonOf(thrown).includes(lateError)) time.refresh();
          throw unavailableError(thrown);
        }
      };
      return withDeadline(clock, deadline, execute(), late);
    },

    async refund(allowance, endsAt) {
      // Needs no deadline: the script compares `endsAt` to the end of the current window.
      await limiterOf(allowance)
        .reward(keyOf(allowance), 1, { customDuration: endsAt })
        .catch((thrown: unknown) => Promise.reject(unavailableError(thrown)));
    },
  };
};
