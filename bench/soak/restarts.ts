import { setTimeout as wait } from 'node:timers/promises';
import type { Interval } from '../../test/support/nemesis/history.ts';
import type { RedisServer } from '../../test/support/redis-server.ts';
import type { Database } from '../mongodb/database.ts';
import type { Outage } from './outages.ts';

/** How long each store is away, in milliseconds. */
const [mongodbAwayMs, redisAwayMs] = [20_000, 5_000];

/** Waits; resolves with whether `end` has not come meanwhile. */
export const pause = (ms: number, end: AbortSignal): Promise<boolean> =>
  wait(Math.max(0, ms), true, { signal: end }).catch(() => false);

/**
 * Restarts a Redis with an append-only file, which it writes before it ends: no count is lost.
 * Resolves with when it was certainly away.
 */
const restartRedis = async (redis: RedisServer): Promise<Interval> => {
  await redis.command('SHUTDOWN').catch(() => {}); // it ends without an answer
  const from = performance.now();
  await wait(redisAwayMs);
  const to = performance.now();
  await redis.restart();
  return { from, to };
};

/** The outages of a soak; more are added while it runs. */
export const createOutages = (): Record<'mongodb' | 'redis', Outage[]> => ({
  mongodb: [],
  redis: [],
});

export type Outages = ReturnType<typeof createOutages>;

/** Restarts each store once in every `everyMs` milliseconds, in turn, until the end. */
export const restartInTurn = async (
  outages: Outages,
  { database, redis }: { readonly database: Database; readonly redis: RedisServer },
  everyMs: number,
  end: AbortSignal,
): Promise<void> => {
  const begin = (which: keyof Outages): Outage => {
    const outage: Outage = { from: performance.now(), to: Number.POSITIVE_INFINITY };
    outages[which].push(outage);
    return outage;
  };
  while (await pause(everyMs / 2 - mongodbAwayMs, end)) {
    const ofMongodb = begin('mongodb');
    await database.restart(mongodbAwayMs);
    ofMongodb.to = performance.now();
    if (!(await pause(everyMs / 2 - redisAwayMs, end))) return;
    const ofRedis = begin('redis');
    ofRedis.certain = await restartRedis(redis);
    ofRedis.to = performance.now();
  }
};
