import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { primariesOf, type RedisClient } from './connection.ts';
import { windowScript } from './window.lua.ts';

const keyPrefix = 'quota';

/** The Redis key of a subject: a hash with a field for each of its windows. */
export const countsKeyOf = (subject: string): string => `${keyPrefix}:${subject}`;

export type CountedWindow = readonly [name: string, limit: number, seconds: number];

/**
 * What a command needs besides subject and points: the library hands the options of a call on to
 * its store.
 */
export interface CountOptions {
  readonly windows: readonly CountedWindow[];
  /**
   * Epoch milliseconds of Redis' clock: the deadline of a consume or read, the end of the window of
   * a refund.
   */
  readonly moment: number;
}

/** The script's reply. `consumedPoints` is the number of windows without room. */
export class WindowsRes extends RateLimiterRes {
  /** The time and the end of each window are epoch milliseconds of Redis' clock. */
  readonly reply: readonly [now: number, ...usedAndEnds: number[]];

  constructor([full, now, ...usedAndEnds]: readonly unknown[]) {
    super(0, 0, Number(full));
    this.reply = [Number(now), ...usedAndEnds.map(Number)];
  }
}

/**
 * The library's Redis limiter, extended by the underscored methods through which it reaches its
 * stores, because its own command takes one limit: this one takes all windows of a subject. A
 * consume is rejected, with a `WindowsRes`, when a window has no room.
 */
export class WindowsLimiter extends RateLimiterRedis {
  private readonly redis: RedisClient & {
    countUnits(...args: readonly (string | number)[]): Promise<unknown>;
  };

  constructor(redis: RedisClient) {
    // The library refuses above `points`: no window may be full. It gets no insurance limiter and
    // no cache of blocked keys: Redis alone decides (decisions, "Quotas").
    super({ storeClient: redis, keyPrefix, points: 0, duration: 0 });
    // Sends the digest of the script, and the script itself over a new connection and to a server
    // that does not know it.
    redis.defineCommand('countUnits', { lua: windowScript, numberOfKeys: 1 });
    // Seam: the type of the client does not learn of a command that is defined while the program
    // runs.
    this.redis = redis as WindowsLimiter['redis'];
  }

  _upsert(
    key: string,
    points: number,
    _ms: number,
    _force: boolean,
    options: CountOptions,
  ): Promise<unknown> {
    if (this.redis.status !== 'ready')
      return Promise.reject(new Error('Redis connection is not ready'));
    this.batchWrites();
    return this.redis.countUnits(key, points, options.moment, ...options.windows.flat());
  }

  /**
   * Lets the commands of one turn of the event loop leave in one write for each connection: in a
   * burst Redis takes half of its time for reading them one by one. Auto-pipelining does the same,
   * but a Cluster then fails all commands of a batch when one is redirected.
   */
  private batchWrites(): void {
    for (const { stream } of primariesOf(this.redis)) {
      if (stream === undefined || stream.writableCorked > 0) continue; // no connection, or batching
      stream.cork();
      setImmediate(() => stream.uncork());
    }
  }

  _getRateLimiterRes(_key: string, _points: number, reply: unknown): WindowsRes {
    if (!Array.isArray(reply)) throw new Error('The quota script returned no counts.');
    return new WindowsRes(reply);
  }
}
