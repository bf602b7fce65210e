import type { Allowance } from '../../../src/domain/caller.ts';
import type { QuotaStatus } from '../../../src/ports.ts';
import type { SharedQuotaStore, SharedQuotasOptions } from '../shared-quotas.ts';
import { readRedisUrl } from './address.ts';
import { openRedis } from './connection.ts';
import { logConnection } from './connection-log.ts';
import { countsKeyOf } from './count-units.ts';
import { createRedisCounter } from './counter.ts';
import { tooLate, unavailableError, withDeadline } from './errors.ts';
import { nodeOf, trackRedisTime } from './time.ts';

/** Subjects tried to find one per primary of a Cluster: enough for dozens of primaries. */
const maxProbes = 200;

/**
 * Opens quotas counted in Redis, exact for any number of gateways, in clock-aligned windows of
 * Redis' clock (decisions, "Quotas"). Every method rejects while Redis is unreachable, and at its
 * deadline if Redis does not reply. Throws with one line if the URL is invalid.
 */
export const openRedisQuotas = ({
  url,
  clock,
  log,
  timeoutMs,
}: SharedQuotasOptions): SharedQuotaStore => {
  const client = openRedis(readRedisUrl(url), timeoutMs);
  const connection = logConnection(client, log);
  const time = trackRedisTime(client, clock, { log, failure: connection.failure });
  const counter = createRedisCounter(client, clock, time);

  const logUnrefunded = (thrown: unknown): void => {
    log.warn({ err: unavailableError(thrown) }, 'late quota unit not refunded');
  };

  /**
   * Refunds units that Redis counted but reported after the deadline: their request was already
   * refused.
   */
  const refundLate = (allowances: readonly Allowance[], statuses: readonly QuotaStatus[]): void => {
    if (statuses.some(({ granted }) => !granted)) return;
    const refunds = allowances.map((allowance, index) =>
      counter.refund(allowance, statuses[index]?.endsAt ?? 0),
    );
    Promise.all(refunds).catch(logUnrefunded);
  };

  return {
    consume(allowances, deadline) {
      const counted = counter.consume(allowances, deadline);
      counted.catch((thrown: unknown) => {
        if (clock.elapsed() >= deadline && !String(thrown).includes(tooLate)) logUnrefunded(thrown);
      });
      return withDeadline(clock, deadline, counted, (statuses) => refundLate(allowances, statuses));
    },

    async refund(allowance, { endsAt }, deadline) {
      if (deadline <= clock.elapsed()) throw unavailableError('the deadline has passed');
      await withDeadline(clock, deadline, counter.refund(allowance, endsAt));
    },

    read: (allowance, deadline) => withDeadline(clock, deadline, counter.read(allowance, deadline)),

    async reset({ subject, window }, deadline) {
      const key = countsKeyOf(subject);
      const deleted = client
        .hdel(key, window)
        // Another program wrote to the key, so it contains no count. Expire it now, with a command
        // that the gateway's user may run.
        .catch((thrown: unknown) =>
          String(thrown).includes('WRONGTYPE') ? client.pexpireat(key, 1) : Promise.reject(thrown),
        )
        .catch((thrown: unknown) => Promise.reject(unavailableError(thrown)));
      await withDeadline(clock, deadline, deleted);
    },

    clockAheadMs: time.aheadMs,

    probeSubjects() {
      const subjects = new Map<string, string>();
      for (let index = 0; index < maxProbes; index += 1) {
        const subject = `probe:readiness${index || ''}`;
        const node = nodeOf(client, countsKeyOf(subject));
        if (!subjects.has(node)) subjects.set(node, subject);
      }
      return [...subjects.values()];
    },

    async close() {
      connection.stop();
      time.stop();
      await client.quit().catch(() => undefined);
      client.disconnect();
    },
  };
};
