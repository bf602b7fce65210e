import type { Allowance } from '../../../src/domain/caller.ts';
import type { Clock, QuotaStatus } from '../../../src/ports.ts';
import { windowLengthMs } from '../../../src/quota/quota.ts';
import type { RedisClient } from './connection.ts';
import {
  type CountedWindow,
  countsKeyOf,
  createUnitCounter,
  type WindowCounts,
} from './count-units.ts';
import { tooLate, unavailableError } from './errors.ts';
import type { RedisTime } from './time.ts';
import { maxWaitMs } from './window.lua.ts';

/**
 * Counts with commands that Redis runs only before their deadline (milliseconds,
 * `Clock.elapsed()`). Their replies may come later.
 */
interface RedisCounter {
  /** Counts one unit of every allowance, or of none, as `QuotaStore.consume` does. */
  consume(allowances: readonly Allowance[], deadline: number): Promise<readonly QuotaStatus[]>;
  /** Reads the status without counting. */
  read(allowance: Allowance, deadline: number): Promise<QuotaStatus>;
  /**
   * Gives one unit back to the window that ends at `endsAt` (epoch milliseconds, Redis' clock),
   * unless it has ended.
   */
  refund(allowance: Allowance, endsAt: number): Promise<void>;
}

const windowOf = ({ window, limit }: Allowance): CountedWindow => [
  window,
  limit,
  windowLengthMs(window) / 1000,
];

const statusesOf = (
  allowances: readonly Allowance[],
  { full, reply }: WindowCounts,
): readonly QuotaStatus[] =>
  allowances.map(({ limit }, index) => {
    const [counted = Number.NaN, endsAt = Number.NaN] = reply.slice(2 * index + 1);
    if (!Number.isSafeInteger(counted) || !Number.isSafeInteger(endsAt))
      throw unavailableError('the quota script returned no counts');
    const used = Math.min(counted, limit);
    return {
      granted: full === 0 || used < limit,
      used,
      endsAt,
      msLeft: endsAt - reply[0],
    };
  });

/**
 * Creates the counter, which passes windows and deadlines to the script (`window.lua.ts`).
 *
 * A command that timed out is still in transit, and a frozen server would count it later. So every
 * command has its deadline in Redis' time, which a gateway's wrong clock cannot change.
 */
export const createRedisCounter = (
  client: RedisClient,
  clock: Clock,
  time: RedisTime,
): RedisCounter => {
  const countUnits = createUnitCounter(client);

  const send = async (
    allowances: readonly Allowance[],
    deadline: number,
    units: 1 | 0,
  ): Promise<readonly QuotaStatus[]> => {
    const now = clock.elapsed();
    if (deadline <= now) throw unavailableError('the deadline has passed');
    const subject = allowances[0]?.subject ?? '';
    const moment = Math.floor(
      Math.min(deadline, now + maxWaitMs) + time.offset(countsKeyOf(subject)),
    );
    const options = { windows: allowances.map(windowOf), moment };
    const counts = await countUnits(subject, units, options).catch((thrown: unknown) => {
      const failure = unavailableError(thrown);
      if (failure.message.includes(tooLate)) time.refresh();
      throw failure;
    });
    return statusesOf(allowances, counts);
  };

  return {
    consume: (allowances, deadline) => send(allowances, deadline, 1),

    async read(allowance, deadline) {
      const [status] = await send([allowance], deadline, 0);
      if (status === undefined) throw unavailableError('no count was returned');
      return status;
    },

    async refund(allowance, endsAt) {
      // Needs no deadline: the script compares `endsAt` to the end of the current window.
      const options = { windows: [windowOf(allowance)], moment: endsAt };
      await countUnits(allowance.subject, -1, options).catch((thrown: unknown) =>
        Promise.reject(unavailableError(thrown)),
      );
    },
  };
};
