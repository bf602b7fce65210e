import { setTimeout as wait } from 'node:timers/promises';
import type { Allowance } from '../../src/domain/caller.ts';
import type { QuotaStatus } from '../../src/ports.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import type { RedisQuotas } from '../stores/redis/quota.ts';
import { storeSettings } from './settings.ts';
import { UsageError } from './terminal/usage-error.ts';

/** The quotas as every gateway counts them. */
export interface OpenQuotas {
  read(allowance: Allowance): Promise<QuotaStatus>;
  reset(allowance: Allowance): Promise<void>;
}

/** How long to wait for one answer, and for a store that is only just connecting. */
const timeoutMs = 2_000;
const connectMs = 3_000;
const retryMs = 30;

const silent = { info() {}, warn() {}, error() {} };

const probe: Allowance = { subject: 'organization:probe', window: 'day', limit: 1 };

/** Waits until the store answers. It opens without waiting, and there is nothing to ask it but how somebody stands. */
const untilItAnswers = async (quotas: RedisQuotas, deadlineIn: (ms: number) => number, reason: () => string) => {
  const end = deadlineIn(connectMs);
  for (;;) {
    try {
      await quotas.read(probe, deadlineIn(timeoutMs));
      return;
    } catch (cause) {
      if (deadlineIn(0) < end) await wait(retryMs);
      else throw new Error(`Redis cannot be reached (${reason()}): start it, or correct REDIS_URL.`, { cause });
    }
  }
};

/** Does something with the quotas in the Redis that `REDIS_URL` names, and closes it. What fails is told in one line. */
export const withQuotas = async <Result>(work: (quotas: OpenQuotas) => Promise<Result>): Promise<Result> => {
  const { redisUrl } = storeSettings();
  if (redisUrl === undefined) throw new UsageError('REDIS_URL is not set: this command needs it.');
  const clock = systemClock();
  const deadlineIn = (ms: number): number => clock.elapsed() + ms;
  let lastProblem = 'no answer';
  const log = {
    ...silent,
    error(facts: object) {
      if ('reason' in facts) lastProblem = String(facts.reason);
    },
  };
  const { openRedisQuotas } = await import('../stores/redis/quota.ts'); // most commands need no Redis
  const quotas = openRedisQuotas({ url: redisUrl, clock, log, timeoutMs });
  try {
    await untilItAnswers(quotas, deadlineIn, () => lastProblem);
    return await work({
      read: (allowance) => quotas.read(allowance, deadlineIn(timeoutMs)),
      reset: (allowance) => quotas.reset(allowance, deadlineIn(timeoutMs)),
    });
  } finally {
    await quotas.close();
  }
};
