import { primariesOf, type RedisClient } from './connection.ts';
import { windowScript } from './window.lua.ts';

/** The Redis key of a subject: a hash with a field for each of its windows. */
export const countsKeyOf = (subject: string): string => `quota:${subject}`;

export type CountedWindow = readonly [name: string, limit: number, seconds: number];

export interface CountOptions {
  readonly windows: readonly CountedWindow[];
  /**
   * Epoch milliseconds of Redis' clock: the deadline of a consume or read, the end of the window of
   * a refund.
   */
  readonly moment: number;
}

/** The script's reply. */
export interface WindowCounts {
  /** Used-up windows. */
  readonly full: number;
  /** The time and the end of each window are epoch milliseconds of Redis' clock. */
  readonly reply: readonly [now: number, ...usedAndEnds: number[]];
}

/** Bytes per write, about 32 commands. In larger writes the gateway and Redis wait for each other. */
const maxBatchBytes = 6_144;

/**
 * Sends the commands of one turn of the event loop in few writes per connection: in a burst, Redis
 * spends half of its time reading them separately. Auto-pipelining does the same, but in a Cluster
 * it fails a whole batch if one command is redirected.
 */
const batchWrites = (redis: RedisClient): void => {
  for (const { stream } of primariesOf(redis)) {
    if (stream === undefined) continue; // no connection
    if (stream.writableCorked === 0) setImmediate(() => stream.uncork());
    else if (stream.writableLength < maxBatchBytes) continue;
    else stream.uncork();
    stream.cork();
  }
};

/**
 * Creates the function that counts units of a subject by `windowScript`: 1 consumes, -1 refunds, 0
 * reads. It rejects immediately without a connection.
 *
 * rate-limiter-flexible cannot do it: its union of limiters keeps the units of other windows when
 * one refuses (animir/node-rate-limiter-flexible#280), and its commands have no deadline. It counts
 * in the embedded store.
 */
export const createUnitCounter = (redis: RedisClient) => {
  // Sends the script's digest. Sends the script itself over a new connection, or if the server does
  // not have it.
  redis.defineCommand('countUnits', { lua: windowScript, numberOfKeys: 1 });
  // Seam: the client's type does not include commands defined at run time.
  const client = redis as RedisClient & {
    countUnits(...args: readonly (string | number)[]): Promise<unknown>;
  };
  return async (
    subject: string,
    units: 1 | 0 | -1,
    { windows, moment }: CountOptions,
  ): Promise<WindowCounts> => {
    if (client.status !== 'ready') throw new Error('Redis connection is not ready');
    batchWrites(client);
    const reply = await client.countUnits(countsKeyOf(subject), units, moment, ...windows.flat());
    if (!Array.isArray(reply)) throw new Error('The quota script returned no counts.');
    const [full, now, ...usedAndEnds] = reply.map(Number);
    return { full: full ?? Number.NaN, reply: [now ?? Number.NaN, ...usedAndEnds] };
  };
};
