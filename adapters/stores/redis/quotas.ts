import type { Allowance } from '../../../src/domain/caller.ts';
import type { Clock, Log, QuotaStatus, QuotaStore } from '../../../src/ports.ts';
import { readRedisUrl } from './address.ts';
import { openRedis } from './connection.ts';
import { logConnection } from './connection-log.ts';
import { createRedisCounter } from './counter.ts';
import { confirmDatabase } from './confirm-database.ts';
import { reasonOf, unavailableError, withDeadline } from './errors.ts';
import { countKeyOf } from './limiter.ts';
import { followRedisTime } from './time.ts';

export interface RedisQuotasOptions {
  /** `REDIS_URL`, see `readRedisUrl`. */
  readonly url: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Maximum time that a request waits for the store, in milliseconds. */
  readonly timeoutMs: number;
}

/** The longest that the start waits for Redis to accept a numbered database, in milliseconds. */
const maxStartMs = 1_000;

export interface RedisQuotas extends QuotaStore {
  /**
   * Resolves when Redis has accepted the numbered database of the URL or does not answer, at most after a second. Rejects with
   * one line that names `REDIS_URL` when it refuses the number.
   */
  confirmDatabase(): Promise<void>;
  /** Deletes the count of the current window, for the operator. Rejects when Redis does not reply by the deadline. */
  reset(allowance: Allowance, deadline: number): Promise<void>;
  /** Closes the connections after pending commands have settled. */
  close(): Promise<void>;
}

/**
 * Opens quotas that are counted in Redis, exactly for any number of gateways, in clock-aligned windows of Redis' clock
 * (decisions, "Quotas"). Returns immediately; every method rejects while Redis is unreachable, and at its deadline when Redis
 * does not reply. Throws when the URL is invalid.
 */
export const openRedisQuotas = ({ url, clock, log, timeoutMs }: RedisQuotasOptions): RedisQuotas => {
  const address = readRedisUrl(url);
  const client = openRedis(address, timeoutMs);
  const connection = logConnection(client, log);
  const time = followRedisTime(client, clock, { log, reason: connection.reason });
  const counter = createRedisCounter(client, clock, time);

  /** Refunds units that Redis counted but reported after the deadline: their request was already refused. */
  const refundLate = (allowances: readonly Allowance[], statuses: readonly QuotaStatus[]): void => {
    if (statuses.some(({ granted }) => !granted)) return;
    const refunds = allowances.map((allowance, index) => counter.refund(allowance, statuses[index]?.endsAt ?? 0));
    Promise.all(refunds).catch((thrown: unknown) =>
      log.warn({ reason: reasonOf(thrown) }, 'late quota unit not refunded'),
    );
  };

  return {
    confirmDatabase: () => confirmDatabase(client, address.db, maxStartMs),

    consume: (allowances, deadline) =>
      counter.consume(allowances, deadline, (statuses) => refundLate(allowances, statuses)),

    async refund(allowance, { endsAt }, deadline) {
      if (deadline <= clock.elapsed()) throw unavailableError('the deadline has passed');
      await withDeadline(clock, deadline, counter.refund(allowance, endsAt), () => {});
    },

    read: (allowance, deadline) => counter.read(allowance, deadline),

    async reset({ subject, window }, deadline) {
      const deleted = client
        .del(countKeyOf(subject, window))
        .catch((thrown: unknown) => Promise.reject(unavailableError(thrown)));
      await withDeadline(clock, deadline, deleted, () => {});
    },

    async close() {
      connection.stop();
      time.stop();
      await client.quit().catch(() => undefined);
      client.disconnect();
    },
  };
};
