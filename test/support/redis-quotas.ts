import { openRedisQuotas, type RedisQuotas } from '../../adapters/stores/redis/quota.ts';
import type { Allowance } from '../../src/domain/caller.ts';
import type { Clock, QuotaStore } from '../../src/ports.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { createMemoryLog, type MemoryLog } from './log.ts';
import { until } from './wait.ts';

/** A moment that no working store misses. */
export const soon = (clock: Clock): number => clock.elapsed() + 2_000;

/** Waits until a store answers; it opens without waiting, and there is nothing to ask it but this. */
export const untilItAnswers = (quotas: QuotaStore, clock: Clock, withinMs = 5_000): Promise<void> => {
  const probe: Allowance = { subject: 'organization:probe', window: 'day', limit: 1 };
  return until('the quota store answers', async () => Boolean(await quotas.read(probe, soon(clock))), withinMs);
};

export interface TestRedisQuotas {
  readonly quotas: RedisQuotas;
  readonly clock: Clock;
  readonly log: MemoryLog;
}

/** The Redis quota store behind a URL, as a gateway opens it. */
export const openTestRedisQuotas = (url: string, clock = systemClock()): TestRedisQuotas => {
  const log = createMemoryLog();
  return { quotas: openRedisQuotas({ url, clock, log, timeoutMs: 250 }), clock, log };
};

/** The same, when it answers. */
export const openReadyRedisQuotas = async (url: string, clock = systemClock()): Promise<TestRedisQuotas> => {
  const opened = openTestRedisQuotas(url, clock);
  try {
    await untilItAnswers(opened.quotas, opened.clock);
    return opened;
  } catch (failure) {
    await opened.quotas.close();
    throw failure;
  }
};
