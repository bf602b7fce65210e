import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { quotaCheck } from '../../../src/quota/health-check.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { noLog } from '../../../src/runtime/no-log.ts';
import { StoreError } from '../../../src/runtime/store-error.ts';
import type { QuotaFindings } from '../shared-quotas.ts';
import { readRedisUrl } from './address.ts';
import { configOf, openRedis, primariesOf, type RedisClient } from './connection.ts';
import { unavailableError } from './errors.ts';
import { openRedisQuotas } from './quotas.ts';
import { readTime } from './time.ts';

const timeoutMs = 2_000;
const retryMs = 50;

/** Rejects when a connection ends: one that the server closes is no error to the client. */
const endOf = async (client: RedisClient): Promise<never> => {
  await once(client, 'close');
  throw new StoreError('Redis: connection lost');
};

/** Of a Cluster's primaries the clock that deviates most. */
const clockAhead = async (client: RedisClient, now: () => number): Promise<number> => {
  const deviations = await Promise.all(
    primariesOf(client).map(async (node) => {
      const asked = now();
      return (await readTime(node)) - (asked + now()) / 2;
    }),
  );
  const [first = Number.NaN] = deviations.sort((one, other) => Math.abs(other) - Math.abs(one));
  return first;
};

/** Consumes and refunds a unit of its own, as `/ready` does. */
const uncountable = async (url: string): Promise<string | undefined> => {
  const clock = systemClock();
  const quotas = openRedisQuotas({
    url,
    clock,
    log: noLog,
    timeoutMs,
  });
  const end = clock.elapsed() + timeoutMs;
  try {
    for (;;) {
      const reason = await quotaCheck(quotas, clock, timeoutMs).check();
      if (reason === undefined || clock.elapsed() > end) return reason;
      await wait(retryMs); // the store opens without waiting for a connection
    }
  } finally {
    await quotas.close();
  }
};

/** Looks at the Redis of a URL. Of a Cluster's primaries the first deviation counts. */
export const probeRedis = async (url: string, now: () => number): Promise<QuotaFindings> => {
  const client = openRedis(readRedisUrl(url), timeoutMs);
  client.on('error', () => {});
  try {
    await Promise.race([once(client, 'ready'), endOf(client)]).catch((failure: unknown) =>
      Promise.reject(unavailableError(failure)),
    );
    const [policies, appendOnly, saves] = await Promise.all(
      ['maxmemory-policy', 'appendonly', 'save'].map((name) =>
        configOf(client, name).catch(() => undefined),
      ),
    );
    return {
      uncountable: await uncountable(url),
      policy: policies?.find((policy) => policy !== 'noeviction') ?? policies?.[0],
      persists:
        appendOnly && saves?.every((save, index) => save !== '' || appendOnly[index] === 'yes'),
      clockAheadMs: await clockAhead(client, now),
    };
  } finally {
    client.disconnect();
  }
};
