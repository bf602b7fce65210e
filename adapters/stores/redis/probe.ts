import { setTimeout as wait } from 'node:timers/promises';
import { countOnce } from '../../../src/quota/health-check.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { noLog } from '../../../src/runtime/no-log.ts';
import { StoreError, type StoreFailure } from '../../../src/runtime/store-error.ts';
import type { QuotaFindings } from '../shared-quotas.ts';
import { readRedisUrl } from './address.ts';
import { configOf, openRedis, type RedisClient } from './connection.ts';
import { logConnection } from './connection-log.ts';
import { explainRedisFailure, unavailableError } from './errors.ts';
import { openRedisQuotas } from './quotas.ts';
import { mostDeviating, readClocks } from './time.ts';

const timeoutMs = 2_000;
const retryMs = 50;

/** Why a unit cannot be consumed and refunded, as in `/ready`; `undefined` if it can. */
const findUncountable = async (url: string): Promise<StoreFailure | undefined> => {
  const clock = systemClock();
  const quotas = openRedisQuotas({ url, clock, log: noLog, timeoutMs });
  const end = clock.elapsed() + timeoutMs;
  try {
    for (;;) {
      const failure = await countOnce(quotas, clock, timeoutMs).then(
        () => undefined,
        explainRedisFailure,
      );
      if (failure === undefined || clock.elapsed() > end) return failure;
      await wait(retryMs); // the store opens without waiting for a connection
    }
  } finally {
    await quotas.close();
  }
};

/**
 * Rejects with the reason if the client is not ready in time, or if its server closes a connection.
 */
const requireReady = async (client: RedisClient): Promise<void> => {
  const { failure, stop } = logConnection(client, noLog);
  const clock = systemClock();
  const end = clock.elapsed() + timeoutMs;
  try {
    while (client.status !== 'ready') {
      const known = failure();
      if (known !== undefined || clock.elapsed() > end) {
        const { reason, remedy } = known ?? explainRedisFailure(new Error('Command timed out'));
        throw new StoreError(`Redis: ${reason}`, remedy);
      }
      await wait(retryMs);
    }
  } finally {
    stop();
  }
};

/** Probes Redis. In a Cluster, the first deviation counts. */
export const probeRedis = async (url: string): Promise<QuotaFindings> => {
  const client = openRedis(readRedisUrl(url), timeoutMs);
  try {
    await requireReady(client);
    const [policies, appendOnly] = await Promise.all(
      ['maxmemory-policy', 'appendonly'].map((name) =>
        configOf(client, name).catch(() => undefined),
      ),
    );
    return {
      uncountable: await findUncountable(url),
      policy: policies?.find((policy) => policy !== 'noeviction') ?? policies?.[0],
      persists: appendOnly?.every((value) => value === 'yes'),
      clock: mostDeviating(await Promise.all(readClocks(client, systemClock()))),
    };
  } catch (failure) {
    throw unavailableError(failure);
  } finally {
    client.disconnect();
  }
};
