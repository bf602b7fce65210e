import type { Allowance } from '../../../src/domain/caller.ts';
import type { Clock, QuotaStatus } from '../../../src/ports.ts';
import { windowLengthMs } from '../../../src/quota/quota.ts';
import type { RedisClient } from './connection.ts';
import { reasonOf, unavailableError, withDeadline } from './errors.ts';
import { type CountedWindow, type CountOptions, WindowsLimiter, WindowsRes } from './limiter.ts';
import { consumeApart, createMovingSubjects, isBetweenNodes } from './moving-slots.ts';
import type { RedisTime } from './time.ts';
import { lateError, maxWaitMs } from './window.lua.ts';
import { createWriteBatcher } from './write-batching.ts';

/** Counts by commands that Redis executes only before their deadline (milliseconds, `Clock.elapsed()`). */
export interface RedisCounter {
  /**
   * Counts one unit of every allowance, or of none, as `QuotaStore.consume` does. Rejects when Redis does not reply by the
   * deadline; a later reply is passed to `late`.
   */
  consume(
    allowances: readonly Allowance[],
    deadline: number,
    late: (statuses: readonly QuotaStatus[]) => void,
  ): Promise<readonly QuotaStatus[]>;
  /** Reads the status without counting. Rejects when Redis does not reply by the deadline. */
  read(allowance: Allowance, deadline: number): Promise<QuotaStatus>;
  /** Gives one unit back to the window that ends at `endsAt` (epoch milliseconds, Redis' clock), unless it has ended. */
  refund(allowance: Allowance, endsAt: number): Promise<void>;
}

const windowOf = ({ window, limit }: Allowance): CountedWindow => ({
  window,
  limit,
  seconds: windowLengthMs(window) / 1000,
});

const only = ([status]: readonly QuotaStatus[]): QuotaStatus => {
  if (status === undefined) throw unavailableError('no count was returned');
  return status;
};

/**
 * Creates the counter. rate-limiter-flexible carries the script (`window.lua.ts`) to Redis and nothing else: windows, deadlines
 * and outages are handled here.
 *
 * A command that timed out is still on its way, and a frozen server would count it when it resumes. So every command carries
 * its deadline in Redis' time, which a wrong clock of a gateway cannot move.
 */
export const createRedisCounter = (client: RedisClient, clock: Clock, time: RedisTime): RedisCounter => {
  const limiter = new WindowsLimiter(client);
  const batchWrites = createWriteBatcher(client);
  const moving = createMovingSubjects(clock);

  /** `endsAt` is rounded to a window boundary: Redis replies with the milliseconds left, and the offset is an estimate. */
  const statusesOf = (allowances: readonly Allowance[], result: WindowsRes, redisNow: number) =>
    allowances.map(({ window, limit }, index): QuotaStatus => {
      const used = Math.min(result.used(index), limit);
      const msLeft = result.msLeft(index);
      const lengthMs = windowLengthMs(window);
      const endsAt = Math.round((redisNow + msLeft) / lengthMs) * lengthMs;
      return { granted: result.consumedPoints === 0 || used < limit, used, endsAt, msLeft };
    });

  const send = async (
    allowances: readonly Allowance[],
    deadline: number,
    command: (subject: string, options: CountOptions) => Promise<unknown>,
  ): Promise<readonly QuotaStatus[]> => {
    const now = clock.elapsed();
    if (deadline <= now) throw unavailableError('the deadline has passed');
    const offset = time.offset();
    const moment = Math.floor(Math.min(deadline, now + maxWaitMs) + offset);
    batchWrites();
    const options = { windows: allowances.map(windowOf), moment };
    const readResult = (result: unknown): readonly QuotaStatus[] => {
      if (result instanceof WindowsRes) return statusesOf(allowances, result, clock.elapsed() + offset);
      if (reasonOf(result).includes(lateError)) time.refresh();
      throw unavailableError(result);
    };
    // The library rejects with the counts when it refuses.
    return await command(allowances[0]?.subject ?? '', options).then(readResult, readResult);
  };

  const consume = (allowances: readonly Allowance[], deadline: number): Promise<readonly QuotaStatus[]> =>
    send(allowances, deadline, (subject, options) => limiter.consume(subject, 1, options));

  const read = async (allowance: Allowance, deadline: number): Promise<QuotaStatus> =>
    only(await send([allowance], deadline, (subject, options) => limiter.penalty(subject, 0, options)));

  const refund = async (allowance: Allowance, endsAt: number): Promise<void> => {
    // Needs no deadline: the script compares `endsAt` to the end of the current window.
    const options = { windows: [windowOf(allowance)], moment: endsAt };
    await limiter
      .reward(allowance.subject, 1, options)
      .catch((thrown: unknown) => Promise.reject(unavailableError(thrown)));
  };

  const consumeEach = (allowances: readonly Allowance[], deadline: number): Promise<readonly QuotaStatus[]> =>
    consumeApart(allowances, {
      consume: async (allowance) => only(await consume([allowance], deadline)),
      read: (allowance) => read(allowance, deadline),
      refund,
    });

  /** With one command, or while the slot of the counts moves with one for each: what a request learnt, the next ones know. */
  const consumeAll = async (allowances: readonly Allowance[], deadline: number): Promise<readonly QuotaStatus[]> => {
    const subject = allowances[0]?.subject ?? '';
    if (allowances.length > 1 && moving.has(subject)) return consumeEach(allowances, deadline);
    try {
      return await consume(allowances, deadline);
    } catch (thrown) {
      if (allowances.length === 1 || !isBetweenNodes(thrown)) throw thrown;
      moving.add(subject);
      return consumeEach(allowances, deadline);
    }
  };

  return {
    consume: (allowances, deadline, late) => withDeadline(clock, deadline, consumeAll(allowances, deadline), late),
    read: (allowance, deadline) => withDeadline(clock, deadline, read(allowance, deadline), () => {}),
    refund,
  };
};
