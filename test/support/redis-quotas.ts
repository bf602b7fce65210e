import { openRedisQuotas } from '../../adapters/stores/redis/quotas.ts';
import type { Allowance } from '../../src/domain/caller.ts';
import type { Clock, QuotaStore } from '../../src/ports.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { createMemoryLog } from './log.ts';
import { until } from './wait.ts';

/** A deadline 2 s from now, which every working store meets. */
export const inTwoSeconds = (clock: Clock): number => clock.elapsed() + 2_000;

/** Waits until a store answers: it opens without waiting for its connection. */
export const untilQuotasAnswer = (
  quotas: QuotaStore,
  clock: Clock,
  withinMs?: number,
): Promise<void> => {
  const probe: Allowance = { subject: 'organization:probe', window: 'day', limit: 1 };
  return until(
    'the quota store answers',
    async () => Boolean(await quotas.read(probe, inTwoSeconds(clock))),
    withinMs,
  );
};

/** Opens the Redis quota store at a URL as a gateway does. */
export const openTestRedisQuotas = (url: string, clock = systemClock(), timeoutMs = 250) => {
  const log = createMemoryLog();
  return { quotas: openRedisQuotas({ url, clock, log, timeoutMs }), clock, log };
};

export type TestRedisQuotas = ReturnType<typeof openTestRedisQuotas>;

/** Opens the store and waits until it answers. */
export const openReadyRedisQuotas = async (url: string, clock = systemClock(), timeoutMs = 250) => {
  const opened = openTestRedisQuotas(url, clock, timeoutMs);
  try {
    await untilQuotasAnswer(opened.quotas, opened.clock);
    return opened;
  } catch (failure) {
    await opened.quotas.close();
    throw failure;
  }
};
