import { openRedisQuotas } from '../../adapters/stores/redis/quotas.ts';
import type { Allowance } from '../../src/domain/caller.ts';
import type { Clock, QuotaStatus, QuotaStore } from '../../src/ports.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { createMemoryLog } from './log.ts';
import { until } from './wait.ts';

/** A deadline 2 s from now, which every working store meets. */
export const inTwoSeconds = (clock: Clock): number => clock.elapsed() + 2_000;

/** Consumes one unit of a single allowance. */
export const consumeOne = async (
  quotas: QuotaStore,
  allowance: Allowance,
  deadline: number,
): Promise<QuotaStatus> => {
  const [status, ...others] = await quotas.consume([allowance], deadline);
  if (status === undefined || others.length > 0) throw new Error('One allowance has one status.');
  return status;
};

/** Waits until a store replies: it opens without waiting for its connection. */
export const untilQuotasAnswer = (quotas: QuotaStore, clock: Clock): Promise<void> => {
  const probe: Allowance = { subject: 'organization:probe', window: 'day', limit: 1 };
  return until('the quota store replies', async () =>
    Boolean(await quotas.read(probe, inTwoSeconds(clock))),
  );
};

/** Opens the Redis quota store at a URL as a gateway does. */
export const openTestRedisQuotas = (url: string, clock = systemClock(), timeoutMs = 250) => {
  const log = createMemoryLog();
  return { quotas: openRedisQuotas({ url, clock, log, timeoutMs }), clock, log };
};

export type TestRedisQuotas = ReturnType<typeof openTestRedisQuotas>;

/** Opens the store and waits until it replies. */
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
