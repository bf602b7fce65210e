import type { Allowance } from '../../../src/domain/caller.ts';
import type { Clock, Log, QuotaStatus, QuotaStore } from '../../../src/ports.ts';
import { openRedis } from './connection.ts';
import { logConnection } from './connection-log.ts';
import { type Command, createRedisCounter } from './counter.ts';
import { reasonOf, unavailableError, withDeadline } from './errors.ts';
import { countKeyOf } from './limiters.ts';
import { followRedisTime } from './time.ts';

export interface RedisQuotasOptions {
  /** `REDIS_URL`: one server, the nodes of a cluster, or Sentinels. */
  readonly url: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The longest a request waits for the store, in milliseconds. */
  readonly timeoutMs: number;
}

export interface RedisQuotas extends QuotaStore {
  /** Forgets what was counted in the current window. No gateway does this; an operator may. Rejects as the others do. */
  reset(allowance: Allowance, deadline: number): Promise<void>;
  /** Ends the connections, after what is under way has been answered or given up. */
  close(): Promise<void>;
}

/**
 * Quotas counted in Redis, exactly for any number of gateways, in clock-aligned windows of Redis' clock (decisions,
 * "Quotas"). Returns at once; every method rejects while Redis is not there, and at its deadline when Redis is silent.
 */
export const openRedisQuotas = ({ url, clock, log, timeoutMs }: RedisQuotasOptions): RedisQuotas => {
  const client = openRedis(url, timeoutMs);
  const endWatch = logConnection(client, log);
  const time = followRedisTime(client, clock, log);
  const counter = createRedisCounter(client, clock, time);

  /** A unit that was counted in time but told too late: nobody is served for it. */
  const undoLate =
    (allowance: Allowance) =>
    ({ granted, endsAt }: QuotaStatus): void => {
      if (!granted) return;
      counter
        .takeBack(allowance, endsAt)
        .catch((thrown: unknown) => log.warn({ reason: reasonOf(thrown) }, 'late unit not given back'));
    };

  return {
    consume: (allowance, deadline) =>
      counter.send(
        allowance,
        deadline,
        (limiter, key, options) => limiter.consume(key, 1, options),
        undoLate(allowance),
      ),

    async refund(allowance, { endsAt }, deadline) {
      if (deadline <= clock.elapsed()) throw unavailableError('the deadline has passed');
      await withDeadline(clock, deadline, counter.takeBack(allowance, endsAt), () => {});
    },

    async read(allowance, deadline) {
      const nothing: Command = (limiter, key, options) => limiter.penalty(key, 0, options);
      const status = await counter.send(allowance, deadline, nothing, () => {});
      return { ...status, granted: status.used < allowance.limit };
    },

    async reset(allowance, deadline) {
      const forgotten = client
        .del(countKeyOf(allowance))
        .catch((thrown: unknown) => Promise.reject(unavailableError(thrown)));
      await withDeadline(clock, deadline, forgotten, () => {});
    },

    async close() {
      endWatch();
      time.stop();
      await client.quit().catch(() => undefined);
      client.disconnect();
    },
  };
};
