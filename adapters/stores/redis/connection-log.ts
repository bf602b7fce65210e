import type { Log } from '../../../src/ports.ts';
import { primariesOf, type RedisClient } from './connection.ts';
import { reasonOf } from './errors.ts';

/** A connection must hold this long (milliseconds) to be called back, so that one that comes and goes fills no log. */
const settledMs = 1_000;

/** The eviction policy of every server that counts. Rejects when one does not tell. */
const evictionPolicies = (client: RedisClient): Promise<readonly string[]> =>
  Promise.all(
    primariesOf(client).map(async (node) => {
      const reply: unknown = await node.config('GET', 'maxmemory-policy');
      if (!Array.isArray(reply) || typeof reply[1] !== 'string') throw new Error('CONFIG GET does not tell it');
      return reply[1];
    }),
  );

/** Tells when a server may throw away counters that are still needed, or would not say. The same finding is told once. */
const createEvictionCheck = (client: RedisClient, log: Log): (() => Promise<void>) => {
  let told = '';
  return async () => {
    try {
      const policy = (await evictionPolicies(client)).find((each) => each !== 'noeviction') ?? 'noeviction';
      if (told === policy) return;
      told = policy;
      const event = 'quota counters may be evicted: set maxmemory-policy to noeviction';
      if (policy !== 'noeviction') log.error({ policy }, event);
    } catch (thrown) {
      if (client.status !== 'ready') return; // the connection broke; the next one is asked
      const reason = reasonOf(thrown);
      if (told !== reason) log.warn({ reason }, 'maxmemory-policy of the quota store not readable');
      told = reason;
    }
  };
};

/** Logs when Redis is lost and when it is back, not every attempt between; returns what ends this. */
export const logConnection = (client: RedisClient, log: Log): (() => void) => {
  let reachable: boolean | undefined;
  let ended = false;
  let settling: NodeJS.Timeout | undefined;
  const checkEviction = createEvictionCheck(client, log);

  const lost = (reason: string): void => {
    clearTimeout(settling);
    if (!ended && reachable !== false) log.error({ reason }, 'quota store not reachable');
    reachable = false;
  };
  const back = (): void => {
    if (!ended && reachable !== true) log.info({}, 'quota store reachable');
    reachable = true;
  };

  client.on('error', (error: unknown) => lost(reasonOf(error)));
  client.on('close', () => lost('connection closed'));
  client.on('ready', () => {
    clearTimeout(settling);
    settling = setTimeout(back, settledMs).unref();
    void checkEviction();
  });
  return () => {
    ended = true;
    clearTimeout(settling);
  };
};
