import type { Log } from '../../../src/ports.ts';
import type { StoreFailure } from '../../../src/runtime/store-error.ts';
import { configOf, type RedisClient } from './connection.ts';
import { explainRedisFailure, notConnected } from './errors.ts';

/**
 * How long a connection must last before it is logged as restored (milliseconds), so that an
 * unstable connection does not fill the log.
 */
const settledMs = 1_000;

/** Checks that no server can evict counters. Logs each finding once, until it changes. */
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
      // The connection broke; the check runs again on the next connection.
      if (client.status !== 'ready') return;
      const { reason } = explainRedisFailure(thrown);
      if (lastFinding !== reason)
        log.warn({ reason }, 'Redis maxmemory-policy not readable, make sure it is noeviction');
      lastFinding = reason;
    }
  };
};

/**
 * How long the first connection may take before it is logged (milliseconds): a busy event loop at
 * startup delays it.
 */
const startMs = 2_000;

interface ConnectionState {
  /** Why there is no connection; `undefined` while there is one. */
  failure(): StoreFailure | undefined;
  stop(): void;
}

const lostConnection = explainRedisFailure(Object.assign(new Error(), { code: 'ECONNRESET' }));
const endedEarly = explainRedisFailure(new Error('ended before it was ready'));
const notReady = explainRedisFailure(new Error('not ready yet'));

/** How long a connection may take to become ready before it counts as failed, in milliseconds. */
const maxReadyMs = 300;

/** Logs when Redis becomes unreachable and when it is reachable again, but not every attempt. */
export const logConnection = (client: RedisClient, log: Log): ConnectionState => {
  let lastFailure: StoreFailure | undefined;
  let reachable: boolean | undefined;
  let ended = false;
  let settling: NodeJS.Timeout | undefined;
  const checkEviction = createEvictionCheck(client, log);

  const reportLoss = (): void => {
    if (ended) return;
    log.error({ ...lastFailure }, 'Redis unreachable, refusing requests with 503 (retrying)');
  };
  const lost = (failure: StoreFailure): void => {
    clearTimeout(settling);
    // A command's `not connected` does not explain why there is no connection.
    lastFailure = failure.reason === notConnected ? (lastFailure ?? failure) : failure;
    if (reachable === undefined) return;
    if (reachable) reportLoss();
    reachable = false;
  };
  const starting = setTimeout(() => {
    if (reachable === undefined && lastFailure !== undefined) reportLoss();
    reachable ??= false;
  }, startMs).unref();
  const restored = (): void => {
    if (!ended && reachable !== true) log.info({}, 'Redis reachable');
    reachable = true;
  };

  /**
   * True until a new connection is ready. A server with too many clients resets it, which loses the
   * text of its error.
   */
  let isConnecting = false;
  client.on('error', (error: unknown) => {
    const failure = explainRedisFailure(error);
    lost(isConnecting && failure.reason.startsWith(lostConnection.reason) ? endedEarly : failure);
  });
  client.on('close', () => {
    lost(lastFailure ?? (isConnecting ? endedEarly : lostConnection));
    isConnecting = false;
  });
  client.on('connect', () => {
    isConnecting = true;
    const stillConnects = (): void => {
      if (client.status === 'connect') lost(notReady);
    };
    setTimeout(stillConnects, maxReadyMs).unref();
  });
  client.on('ready', () => {
    isConnecting = false;
    lastFailure = undefined;
    clearTimeout(settling);
    settling = setTimeout(restored, settledMs).unref();
    void checkEviction();
  });
  return {
    failure: () => lastFailure,
    stop() {
      ended = true;
      clearTimeout(settling);
      clearTimeout(starting);
    },
  };
};
