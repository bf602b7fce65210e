import type { Redis } from 'ioredis';
import type { Clock, Log } from '../../../src/ports.ts';
import { primariesOf, type RedisClient } from './connection.ts';
import { reasonOf } from './errors.ts';

/** What this process knows of Redis' clock. */
export interface RedisTime {
  /** Milliseconds to add to `Clock.elapsed()` for Redis' epoch time. Throws while they are not known. */
  offset(): number;
  /** Reads the clock again, without waiting for it. */
  refresh(): void;
  stop(): void;
}

const refreshMs = 5_000;

/** Nodes whose clocks are further apart than this (milliseconds), more than a slow reply explains, are reported. */
const toleratedSpreadMs = 250;

/**
 * Follows Redis' clock: read when a connection is ready, every few seconds, and whenever a command was told to be late.
 * The time of a reading is taken as the time its reply arrived: what Redis does before a deadline made this way can also be
 * answered before it. The nodes of a cluster share the latest of their clocks, so that a slow one refuses nobody; a command
 * held up on that node may then be counted late by the difference.
 */
export const followRedisTime = (client: RedisClient, clock: Clock, log: Log): RedisTime => {
  let known: number | undefined;
  let reading = false;
  let complaint = '';

  const complain = (facts: { readonly [fact: string]: unknown }, event: string): void => {
    if (complaint !== event) log.error(facts, event);
    complaint = event;
  };

  const readOffset = async (node: Redis): Promise<number> => {
    const [seconds, microseconds] = await node.time();
    const offset = Number(seconds) * 1000 + Number(microseconds) / 1000 - clock.elapsed();
    if (!Number.isFinite(offset)) throw new Error('TIME was not answered with a time');
    return offset;
  };

  const read = async (): Promise<void> => {
    const readings = await Promise.allSettled(primariesOf(client).map(readOffset));
    const offsets = readings.flatMap((reading) => (reading.status === 'fulfilled' ? [reading.value] : []));
    const failure = readings.find((reading) => reading.status === 'rejected');
    if (offsets.length === 0) {
      if (client.status === 'ready') complain({ reason: reasonOf(failure?.reason) }, 'quota clock not readable');
      return;
    }
    known = Math.max(...offsets);
    const spreadMs = Math.round(known - Math.min(...offsets));
    if (spreadMs > toleratedSpreadMs) complain({ spreadMs }, 'clocks of the quota nodes differ');
    else complaint = '';
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
      throw new Error('The clock of the quota store is not known.');
    },
    refresh,
    stop: () => clearInterval(timer),
  };
};
