import keySlot from 'cluster-key-slot';
import { Cluster, type Redis } from 'ioredis';
import type { Clock, Log } from '../../../src/ports.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { createClockWatch } from '../../../src/runtime/clock-watch.ts';
import { StoreError, type StoreFailure } from '../../../src/runtime/store-error.ts';
import { primariesOf, type RedisClient } from './connection.ts';
import { explainRedisFailure, unavailableError } from './errors.ts';

/** The offsets between the clocks of Redis' nodes and the gateway's. */
export interface RedisTime {
  /**
   * Milliseconds to add to `Clock.elapsed()` for the epoch time of a key's node. Throws a
   * `StoreError` while no offset is known.
   */
  offset(key: string): number;
  /** Starts reading the clocks again and returns immediately. */
  refresh(): void;
  /** Milliseconds by which the clock of the most deviating node is ahead of the machine's. */
  aheadMs(): number | undefined;
  stop(): void;
}

interface RedisTimeOptions {
  readonly log: Log;
  /** Why there is no connection; `undefined` while there is one. */
  readonly failure: () => StoreFailure | undefined;
}

const refreshMs = 5_000;

const nameOf = ({ options: { host, port } }: Redis): string => `${host}:${port}`;

/** The name of a key's Cluster node, by `nameOf`; empty for a single server. */
export const nodeOf = (client: RedisClient, key: string): string =>
  client instanceof Cluster ? (client.slots[keySlot(key)]?.[0] ?? '') : '';

/** The clock of a primary. `node` is its name in a Cluster. */
interface NodeClock {
  readonly node: string | undefined;
  /** Milliseconds to add to `Clock.elapsed()`, as of the arrival of the reply. */
  readonly offset: number;
  /** Milliseconds by which it is ahead of the machine's. */
  readonly aheadMs: number;
}

/** Reads the clock of each primary. */
export const readClocks = (client: RedisClient, clock: Clock): Promise<NodeClock>[] =>
  primariesOf(client).map(async (node) => {
    const { now } = systemClock();
    const sentAt = now();
    const [seconds, microseconds] = await node.time();
    const time = Number(seconds) * 1000 + Number(microseconds) / 1000;
    if (!Number.isFinite(time)) throw new Error('TIME returned no time');
    return {
      node: client instanceof Cluster ? nameOf(node) : undefined,
      offset: time - clock.elapsed(),
      aheadMs: time - (sentAt + now()) / 2,
    };
  });

export const mostDeviating = (clocks: readonly NodeClock[]): NodeClock =>
  clocks.reduce((one, other) => (Math.abs(other.aheadMs) > Math.abs(one.aheadMs) ? other : one));

/**
 * Tracks the clock offset of each node. Reads `TIME` when a connection becomes ready, every 5
 * seconds, and after Redis rejects a command as late. The offset is taken when the reply arrives,
 * so a command that Redis runs before its deadline also replies before it. A node with an unknown
 * clock, as after a failover, gets the latest clock of the others.
 */
export const trackRedisTime = (
  client: RedisClient,
  clock: Clock,
  { log, failure }: RedisTimeOptions,
): RedisTime => {
  const offsets = new Map<string, number>();
  const watch = createClockWatch('redis', log);
  let lastFailure: StoreFailure | undefined;
  let reading = false;

  const read = async (): Promise<void> => {
    const readings = readClocks(client, clock).map(async (reading) => {
      const found = await reading;
      offsets.set(found.node ?? '', found.offset);
      return found;
    });
    const failed = (await Promise.allSettled(readings)).find(({ status }) => status === 'rejected');
    if (offsets.size > 0) {
      lastFailure = undefined;
      const { aheadMs, node } = mostDeviating(await Promise.all(readings));
      return watch.note(aheadMs, node);
    }
    if (client.status !== 'ready' || failed?.status !== 'rejected') return;
    const { reason, remedy } = explainRedisFailure(failed.reason);
    if (lastFailure === undefined)
      log.error({ reason, remedy }, 'Redis clock not readable (retrying)');
    lastFailure = { reason: `its clock is not readable: ${reason}`, remedy };
  };

  const refresh = (): void => {
    if (reading || client.status !== 'ready') return;
    reading = true;
    read()
      .catch(() => {}) // a node was lost in between: the next reading reports it
      .finally(() => {
        reading = false;
      });
  };

  client.on('ready', refresh);
  client.on('close', () => offsets.clear()); // the next connection may lead to another server
  const timer = setInterval(refresh, refreshMs).unref();

  return {
    offset(key) {
      const known = offsets.get(nodeOf(client, key));
      if (known === undefined) refresh();
      if (known !== undefined || offsets.size > 0) return known ?? Math.max(...offsets.values());
      const { reason, remedy } = failure() ?? lastFailure ?? {};
      if (reason === undefined) throw unavailableError('its clock was not read yet');
      throw new StoreError(`Redis: ${reason}`, remedy);
    },
    refresh,
    aheadMs: watch.aheadMs,
    stop: () => clearInterval(timer),
  };
};
