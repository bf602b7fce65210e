import { readRedisUrl } from '../../../adapters/stores/redis/address.ts';
import { openRedis, type RedisClient } from '../../../adapters/stores/redis/connection.ts';
import { countKeyOf } from '../../../adapters/stores/redis/limiter.ts';
import type { Allowance } from '../../../src/domain/caller.ts';
import { windowLengthMs } from '../../../src/quota/quota.ts';
import { freePort } from '../ports.ts';
import { type RedisServer, startRedisProcess } from '../redis-server.ts';
import { startTcpProxy, type TcpProxy } from '../tcp-proxy.ts';
import { until } from '../wait.ts';
import type { Count } from './history.ts';
import type { SettableClock } from './settable-clock.ts';

/** Something that goes wrong for a while. */
export interface Fault {
  readonly name: string;
  begin(): unknown;
  /** Ends it; the topology may need time to recover. */
  end(): unknown;
  /** Milliseconds before the beginning from which on Redis may lose writes it acknowledged; `undefined` if it loses none. */
  readonly losesFrom?: number;
  /** Whether writes may be lost until everything is served again, and not only until the fault has begun. */
  readonly losesUntilRecovery?: boolean;
  /** Whether no Redis node can answer while it lasts. */
  readonly isOutage?: boolean;
}

/** Redis as it is deployed. */
export interface Topology {
  /** The `REDIS_URL` of a gateway, by its number. */
  url(gateway: number): string;
  readonly faults: readonly Fault[];
  /** Waits until no former primary takes writes any more: what it counts is lost. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

/** How many gateways a nemesis has. */
export const gatewayCount = 4;

/** A data node: clients, replicas and Sentinels reach it through its proxy, whose port it announces. */
export interface RedisNode {
  readonly server: RedisServer;
  readonly proxy: TcpProxy;
  stop(): Promise<void>;
}

/** Starts a node whose settings depend on the port it announces. It keeps an append-only file. */
export const startNode = async (
  clock: SettableClock,
  settings: (announced: number) => readonly string[],
): Promise<RedisNode> => {
  const port = await freePort();
  const proxy = await startTcpProxy(port);
  const own = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'yes'];
  const server = await startRedisProcess(port, [...own, ...settings(proxy.port)], undefined, clock.environment);
  return {
    server,
    proxy,
    async stop() {
      await proxy.close();
      await server.stop();
    },
  };
};

export const isPrimary = async ({ server }: RedisNode): Promise<boolean> =>
  [await server.command('ROLE')].flat()[0] === 'master';

/** What a fail-over may cost: writes of the second before it, and all until everything is served again. */
export const failOverLosses = { losesFrom: 1_000, losesUntilRecovery: true } as const;

/** The faults of one primary, which `pick` chooses when one of them begins. */
export const primaryFaults = (article: 'a' | 'the', pick: () => Promise<RedisNode>): Fault[] => {
  let struck: RedisNode | undefined;
  const fault = (name: string, begin: (node: RedisNode) => unknown, end: (node: RedisNode) => unknown): Fault => ({
    name,
    ...failOverLosses,
    async begin() {
      struck = await pick();
      await begin(struck);
    },
    end: () => struck && end(struck),
  });
  return [
    fault(
      `kill ${article} primary`,
      ({ server }) => server.kill(),
      ({ server }) => server.restart(),
    ),
    fault(
      `freeze ${article} primary`,
      ({ server }) => server.pause(),
      ({ server }) => server.resume(),
    ),
    fault(
      `cut ${article} primary off`,
      ({ proxy }) => proxy.hold(),
      ({ proxy }) => proxy.release(),
    ),
  ];
};

/** Waits until exactly `count` nodes are primaries. */
export const untilPrimaries = (nodes: readonly RedisNode[], count: number): Promise<void> =>
  until(
    `${count} primaries are left`,
    async () => (await Promise.all(nodes.map(isPrimary))).filter(Boolean).length === count,
    60_000,
  );

export const stopNodes = async (nodes: readonly RedisNode[]): Promise<void> => {
  await Promise.all(nodes.map((node) => node.stop()));
};

const readScript = `
local time = redis.call('TIME')
return {tonumber(redis.call('GET', KEYS[1]) or '0'), redis.call('PTTL', KEYS[1]), time[1] * 1000 + math.floor(time[2] / 1000)}
`;

/** Reads counts as Redis holds them, past the gateways. */
export interface CountReader {
  read(allowance: Omit<Allowance, 'limit'>): Promise<Count>;
  close(): void;
}

/** Opens a reader at a `REDIS_URL`. */
export const openCountReader = (url: string): CountReader => {
  const client: RedisClient = openRedis(readRedisUrl(url), 1_000);
  client.on('error', () => {}); // it reconnects, as a gateway does
  return {
    async read({ subject, window }) {
      let reply: unknown;
      await until('Redis answers the reader of counts, whose connections the faults broke too', async () => {
        reply = await client.eval(readScript, 1, countKeyOf(subject, window));
        return true;
      });
      const [count = 0, ttl = 0, now = 0] = [reply].flat().map(Number);
      const length = windowLengthMs(window);
      const left = length - (now % length);
      const isCurrent = Math.abs(left - ttl) < length / 2;
      return {
        at: performance.now(),
        subject,
        window,
        reset: Math.round((now + left) / 1000),
        count: isCurrent ? count : 0,
      };
    },
    close: () => client.disconnect(),
  };
};
