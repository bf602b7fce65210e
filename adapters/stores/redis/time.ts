import type { Redis } from 'ioredis';
import type { Clock, Log } from '../../../src/ports.ts';
import { primariesOf, type RedisClient } from './connection.ts';
import { reasonOf, unavailableError } from './errors.ts';

/** The offset between Redis' clock and the gateway's. */
export interface RedisTime {
  /**
   * Milliseconds to add to `Clock.elapsed()` for Redis' epoch time. Throws a `StoreError` while the
   * offset is unknown.
   */
  offset(): number;
  /** Starts reading the clock again and returns immediately. */
  refresh(): void;
  stop(): void;
}

interface RedisTimeOptions {
  readonly log: Log;
  /** Why there is no connection; `undefined` while there is one. */
  readonly reason: () => string | undefined;
}

const refreshMs = 5_000;

/** A server's clock, epoch milliseconds. */
export const readTime = async (node: Redis): Promise<number> => {
  const [seconds, microseconds] = await node.time();
  return Number(seconds) * 1000 + Number(microseconds) / 1000;
};

/**
 * Follows Redis' clock: reads TIME when a connection is ready, every 5 seconds, and after a command
 * was refused as late. A reading counts as taken when its reply arrives, so that a reply to a
 * command that Redis executes before its deadline also arrives before it. Of a cluster's nodes the
 * latest clock counts: with one node 1 s ahead every charge is counted then, and a third refused as
 * late with the clock of another. A command that is delayed on a node may be counted late by the
 * difference of the two.
 */
export const followRedisTime = (
  client: RedisClient,
  clock: Clock,
  { log, reason }: RedisTimeOptions,
): RedisTime => {
  let known: number | undefined;
  let lastReason: string | undefined;
  let reading = false;
  let isReadable = true;

  const readOffset = async (node: Redis): Promise<number> => {
    const offset = (await readTime(node)) - clock.elapsed();
    if (!Number.isFinite(offset)) throw new Error('TIME returned no time');
    return offset;
  };

  const read = async (): Promise<void> => {
    const readings = await Promise.allSettled(primariesOf(client).map(readOffset));
    const offsets = readings.flatMap((reading) =>
      reading.status === 'fulfilled' ? [reading.value] : [],
    );
    const failure = readings.find((reading) => reading.status === 'rejected');
    if (offsets.length === 0) {
      if (client.status !== 'ready') return;
      const cause = reasonOf(failure?.reason);
      lastReason = `its clock is not readable: ${cause}`;
      if (isReadable) log.error({ reason: cause }, 'Redis clock not readable (retrying)');
      isReadable = false;
      return;
    }
    isReadable = true;
    known = Math.max(...offsets);
  };

  const refresh = (): void => {
    if (reading || client.status !== 'ready') return;
    reading = true;
    void read().finally(() => {
      reading = false;
    });
  };

  client.on('ready', refresh);
  client.on('close', () => {
    known = undefined; // the next connection may lead to another server
  });
  const timer = setInterval(refresh, refreshMs).unref();

  return {
    offset() {
      if (known !== undefined) return known;
      refresh();
      throw unavailableError(reason() ?? lastReason ?? 'its clock was not read yet');
    },
    refresh,
    stop: () => clearInterval(timer),
  };
};
