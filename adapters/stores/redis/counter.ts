import { type RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Allowance } from '../../../src/domain/caller.ts';
import type { Clock, QuotaStatus } from '../../../src/ports.ts';
import { windowLengthMs } from '../../../src/quota/quota.ts';
import type { RedisClient } from './connection.ts';
import { reasonOf, unavailableError, withDeadline } from './errors.ts';
import { createLimiters, keyOf } from './limiters.ts';
import type { RedisTime } from './time.ts';
import { lateError, longestWaitMs } from './window.lua.ts';
import { createWriteBatcher } from './write-batching.ts';

/** What the limiter of an allowance is told to do, with the moment the command is good for. */
export type Command = (
  limiter: RateLimiterRedis,
  key: string,
  options: { customDuration: number },
) => Promise<RateLimiterRes>;

export interface RedisCounter {
  /**
   * Sends a command that is good until `deadline` (on the scale of `Clock.elapsed()`), and rejects by then. A refusal is a
   * status; a rejection is always an outage. An answer that comes after the deadline goes to `late`.
   */
  send(
    allowance: Allowance,
    deadline: number,
    command: Command,
    late: (status: QuotaStatus) => void,
  ): Promise<QuotaStatus>;
  /** Takes a unit back out of the window that ends at `endsAt` (epoch milliseconds by Redis' clock), if it still runs. */
  takeBack(allowance: Allowance, endsAt: number): Promise<void>;
}

/**
 * Sends the limiters' commands. After a timeout a command is still on its way, and would be counted when a frozen server
 * thaws: so its deadline goes along, in Redis' time, which no wrong clock of a gateway moves. The library hands a script
 * nothing of the caller's but `customDuration`, as floor(customDuration * 1000 / 1000): exact for whole milliseconds until
 * the year 2255. The window's length is the limiter's own `duration`.
 */
export const createRedisCounter = (client: RedisClient, clock: Clock, time: RedisTime): RedisCounter => {
  const limiterOf = createLimiters(client);
  const gather = createWriteBatcher(client);

  /** Redis tells the milliseconds to the end, this process its own idea of now: near enough to tell which boundary it is. */
  const standingOf = (
    { window, limit }: Allowance,
    result: RateLimiterRes,
    offset: number,
    granted: boolean,
  ): QuotaStatus => {
    const length = windowLengthMs(window);
    const msLeft = result.msBeforeNext;
    const endsAt = Math.round((clock.elapsed() + offset + msLeft) / length) * length;
    return { granted, used: Math.min(result.consumedPoints, limit), endsAt, msLeft };
  };

  return {
    send(allowance, deadline, command, late) {
      const answer = async (): Promise<QuotaStatus> => {
        const now = clock.elapsed();
        if (deadline <= now) throw unavailableError('the deadline has passed');
        const offset = time.offset();
        const customDuration = Math.floor(Math.min(deadline, now + longestWaitMs) + offset);
        try {
          gather();
          const result = await command(limiterOf(allowance), keyOf(allowance), { customDuration });
          return standingOf(allowance, result, offset, true);
        } catch (thrown) {
          if (thrown instanceof RateLimiterRes) return standingOf(allowance, thrown, offset, false);
          if (reasonOf(thrown).includes(lateError)) time.refresh();
          throw unavailableError(thrown);
        }
      };
      return withDeadline(clock, deadline, answer(), late);
    },

    async takeBack(allowance, endsAt) {
      // Good for one window alone, however late it comes: the script compares its end to that of the current one.
      await limiterOf(allowance)
        .reward(keyOf(allowance), 1, { customDuration: endsAt })
        .catch((thrown: unknown) => Promise.reject(unavailableError(thrown)));
    },
  };
};
