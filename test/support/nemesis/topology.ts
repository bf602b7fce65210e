import { freePort } from '../ports.ts';
import { startRedisProcess } from '../redis-server.ts';
import { startTcpProxy } from '../tcp-proxy.ts';
import { until } from '../wait.ts';
import type { SettableClock } from './settable-clock.ts';

/** Something that goes wrong for a while. */
export interface Fault {
  readonly name: string;
  begin(): unknown;
  /** Ends it, if it does not end by itself; the topology may need time to recover. */
  end?(): unknown;
  /**
   * Milliseconds before the beginning from which on Redis may lose writes it acknowledged;
   * `undefined` if it loses none.
   */
  readonly losesFrom?: number;
  /**
   * Whether writes may be lost until everything is served again, and not only until the fault has
   * begun.
   */
  readonly losesUntilRecovery?: boolean;
  /** Whether no Redis node can answer while it lasts. */
  readonly isOutage?: boolean;
}

/** Redis as it is deployed. */
export interface Topology {
  /** The `REDIS_URL` of a gateway, by its number. */
  url(gateway: number): string;
  readonly faults: readonly Fault[];
  /** Waits until no previous primary takes writes any more: what it counts is lost. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

/** How many gateways a nemesis has. */
export const gatewayCount = 4;

/**
 * Starts a data node whose settings depend on the port it announces: clients, replicas and
 * Sentinels reach it through its proxy, which has that port. It keeps an append-only file.
 */
export const startNode = async (
  clock: SettableClock,
  settings: (announced: number) => readonly string[],
) => {
  const port = await freePort();
  const proxy = await startTcpProxy(port);
  const own = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'yes'];
  const server = await startRedisProcess(
    port,
    [...own, ...settings(proxy.port)],
    undefined,
    clock.environment,
  );
  return {
    server,
    proxy,
    async stop() {
      await proxy.close();
      await server.stop();
    },
  };
};

export type RedisNode = Awaited<ReturnType<typeof startNode>>;

export const isPrimary = async ({ server }: RedisNode): Promise<boolean> =>
  [await server.command('ROLE')].flat()[0] === 'master';

/**
 * What a fail-over may cost: writes of the second before it, and all until everything is served
 * again.
 */
export const failOverLosses = { losesFrom: 1_000, losesUntilRecovery: true } as const;

/** The faults of one primary, which `pick` chooses when one of them begins. */
export const primaryFaults = (pick: () => Promise<RedisNode>): Fault[] => {
  let struck: RedisNode | undefined;
  const fault = (
    name: string,
    begin: (node: RedisNode) => unknown,
    end: (node: RedisNode) => unknown,
  ): Fault => ({
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
      'kill a primary',
      ({ server }) => server.kill(),
      ({ server }) => server.restart(),
    ),
    fault(
      'freeze a primary',
      ({ server }) => server.pause(),
      ({ server }) => server.resume(),
    ),
    fault(
      'cut a primary off',
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
  );

export const stopNodes = async (nodes: readonly RedisNode[]): Promise<void> => {
  await Promise.all(nodes.map((node) => node.stop()));
};
