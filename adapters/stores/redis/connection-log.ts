import type { Log } from '../../../src/ports.ts';
import { configOf, type RedisClient } from './connection.ts';
import { notConnected, reasonOf, redisRemedy } from './errors.ts';

/**
 * A connection is logged as restored after this long (milliseconds), so that an unstable one does
 * not fill the log.
 */
const settledMs = 1_000;

/** Checks that no server may evict counters. Logs a finding once, until it changes. */
const createEvictionCheck = (client: RedisClient, log: Log): (() => Promise<void>) => {
  let lastFinding = '';
  return async () => {
    try {
      const policy =
        (await configOf(client, 'maxmemory-policy')).find((each) => each !== 'noeviction') ??
        'noeviction';
      if (lastFinding === policy) return;
      lastFinding = policy;
      const event = 'quota counters may be evicted: set maxmemory-policy to noeviction';
      if (policy !== 'noeviction') log.error({ policy }, event);
    } catch (thrown) {
      // the connection broke; the check runs again on the next one
      if (client.status !== 'ready') return;
      const reason = reasonOf(thrown);
      if (lastFinding !== reason)
        log.warn({ reason }, 'Redis maxmemory-policy not readable, make sure it is noeviction');
      lastFinding = reason;
    }
  };
};

/**
 * How long the first connection may take before it is logged (milliseconds): a start that keeps the
 * event loop busy delays it.
 */
const startMs = 2_000;

/** The state of the connection to Redis. */
interface ConnectionState {
  /** Why there is no connection, in words; `undefined` while there is one. */
  reason(): string | undefined;
  /** Stops logging. */
  stop(): void;
}

/** Logs when Redis becomes unreachable and when it is reachable again, but not every attempt. */
export const logConnection = (client: RedisClient, log: Log): ConnectionState => {
  let lastReason: string | undefined;
  let reachable: boolean | undefined;
  let ended = false;
  let settling: NodeJS.Timeout | undefined;
  const checkEviction = createEvictionCheck(client, log);

  const reportLoss = (): void => {
    if (ended) return;
    const reason = lastReason ?? notConnected;
    const facts = { reason, remedy: redisRemedy(reason) };
    log.error(facts, 'Redis unreachable, refusing requests with 503 (retrying)');
  };
  const lost = (reason: string): void => {
    clearTimeout(settling);
    // That a command found no connection does not say why there is none.
    lastReason = reason === notConnected ? (lastReason ?? reason) : reason;
    if (reachable === undefined) return;
    if (reachable) reportLoss();
    reachable = false;
  };
  const starting = setTimeout(() => {
    if (reachable === undefined && lastReason !== undefined) reportLoss();
    reachable ??= false;
  }, startMs).unref();
  const restored = (): void => {
    if (!ended && reachable !== true) log.info({}, 'Redis reachable');
    reachable = true;
  };

  client.on('error', (error: unknown) => lost(reasonOf(error)));
  client.on('close', () => lost(lastReason ?? 'connection lost'));
  client.on('ready', () => {
    lastReason = undefined;
    clearTimeout(settling);
    settling = setTimeout(restored, settledMs).unref();
    void checkEviction();
  });
  return {
    reason: () => lastReason,
    stop() {
      ended = true;
      clearTimeout(settling);
      clearTimeout(starting);
    },
  };
};
