import type { Allowance } from '../../src/caller.ts';
import type { Clock, Log, QuotaStore, Standing } from '../../src/ports.ts';
import { openRedis } from './connection.ts';
import { type Command, createRedisCounter } from './counter.ts';
import { countKeyOf } from './limiters.ts';
import { inTime, outage, reasonOf } from './outage.ts';
import { followRedisTime } from './time.ts';
import { watchRedis } from './watch.ts';

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
  const endWatch = watchRedis(client, log);
  const time = followRedisTime(client, clock, log);
  const counter = createRedisCounter(client, clock, time);

  /** A unit that was counted in time but told too late: nobody is served for it. */
  const undoLate =
    (allowance: Allowance) =>
    ({ granted, endsAt }: Standing): void => {
      if (!granted) return;
      counter
        .takeBack(allowance, endsAt)
        .catch((thrown: unknown) => log.warn({ reason: reasonOf(thrown) }, 'late unit not given back'));
    };

  return {
    spend: (allowance, deadline) =>
      counter.send(
        allowance,
        deadline,
        (limiter, key, options) => limiter.consume(key, 1, options),
        undoLate(allowance),
      ),

    async giveBack(allowance, { endsAt }, deadline) {
      if (deadline <= clock.elapsed()) throw outage('the deadline has passed');
      await inTime(clock, deadline, counter.takeBack(allowance, endsAt), () => {});
    },

    async read(allowance, deadline) {
      const nothing: Command = (limiter, key, options) => limiter.penalty(key, 0, options);
      const standing = await counter.send(allowance, deadline, nothing, () => {});
      return { ...standing, granted: standing.used < allowance.limit };
    },

    async reset(allowance, deadline) {
      const forgotten = client.del(countKeyOf(allowance)).catch((thrown: unknown) => Promise.reject(outage(thrown)));
      await inTime(clock, deadline, forgotten, () => {});
    },

    async close() {
      endWatch();
      time.stop();
      await client.quit().catch(() => undefined);
      client.disconnect();
    },
  };
};
