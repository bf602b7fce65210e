import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../ports.ts';
import { type ClusterNode, createResharding, joinCluster } from '../redis-groups.ts';
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
   * True if writes might be lost until everything is served again, not only until the fault begins.
   */
  readonly losesUntilRecovery?: boolean;
  /** True if no Redis node can respond during the fault. */
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
const startNode = async (clock: SettableClock, settings: (announced: number) => string) => {
  const port = await freePort();
  const proxy = await startTcpProxy(port);
  const own = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'yes'];
  const args = [...own, ...settings(proxy.port).split(' ').filter(Boolean)];
  const server = await startRedisProcess(port, args, undefined, clock.environment);
  return {
    server,
    proxy,
    async stop() {
      await proxy.close();
      await server.stop();
    },
  };
};

type RedisNode = Awaited<ReturnType<typeof startNode>>;

const isPrimary = async ({ server }: RedisNode): Promise<boolean> =>
  [await server.command('ROLE')].flat()[0] === 'master';

/**
 * What a fail-over may cost: writes of the second before it, and all until everything is served
 * again.
 */
export const failOverLosses = { losesFrom: 1_000, losesUntilRecovery: true } as const;

/** The faults of one primary, which `pick` chooses when one of them begins. */
const primaryFaults = (pick: () => Promise<RedisNode>): Fault[] => {
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
const untilPrimaries = (nodes: readonly RedisNode[], count: number): Promise<void> =>
  until(
    `${count} primaries are left`,
    async () => (await Promise.all(nodes.map(isPrimary))).filter(Boolean).length === count,
  );

const stopNodes = async (nodes: readonly RedisNode[]): Promise<void> => {
  await Promise.all(nodes.map((node) => node.stop()));
};

/** Milliseconds for which Redis may hold back its append-only file (`everysec`) before a crash. */
const maxUnwrittenMs = 2_000;

/** One server with an append-only file. Each gateway reaches it through a proxy of its own. */
const startSingle = async (clock: SettableClock): Promise<Topology> => {
  const { server, proxy, stop } = await startNode(clock, () => '--appendfsync everysec');
  const proxies = await Promise.all(
    Array.from({ length: gatewayCount }, () => startTcpProxy(server.port)),
  );
  const [first] = proxies;
  return {
    url: (gateway) => server.url((proxies[gateway] ?? proxy).port),
    faults: [
      {
        name: 'kill',
        begin: () => server.kill(),
        end: () => server.restart(),
        losesFrom: maxUnwrittenMs,
        isOutage: true,
      },
      { name: 'freeze', begin: () => server.pause(), end: () => server.resume(), isOutage: true },
      {
        name: 'cut the network',
        begin: () => proxies.forEach((each) => void each.hold()),
        end: () => proxies.forEach((each) => void each.release()),
        isOutage: true,
      },
      { name: 'cut one gateway off', begin: () => first?.hold(), end: () => first?.release() },
      { name: 'reset connections', begin: () => proxies.forEach((each) => void each.reset()) },
      {
        name: 'slow network',
        begin: () => proxies.forEach((each) => void each.delay(120)),
        end: () => proxies.forEach((each) => void each.delay(0)),
      },
    ],
    settled: async () => {},
    async stop() {
      await Promise.all(proxies.map((each) => each.close()));
      await stop();
    },
  };
};

/** A Sentinel that promotes a replica when the primary on this port is silent for 500 ms. */
const startSentinelOf = async (primaryPort: number) => {
  const port = await freePort();
  const settings = [
    `port ${port}`,
    'bind 127.0.0.1',
    `sentinel monitor quotas 127.0.0.1 ${primaryPort} 1`,
    'sentinel down-after-milliseconds quotas 500',
    'sentinel failover-timeout quotas 2000',
  ];
  const sentinel = await startRedisProcess(port, ['sentinel.conf', '--sentinel'], (folder) =>
    writeFile(join(folder, 'sentinel.conf'), `${settings.join('\n')}\n`),
  );
  await until('the Sentinel knows all replicas', async () =>
    String(await sentinel.command('INFO', 'sentinel')).includes('slaves=2,'),
  );
  return sentinel;
};

/**
 * A primary with two replicas, and a Sentinel that promotes one when the primary has been silent
 * for half a second.
 */
const startSentinel = async (clock: SettableClock): Promise<Topology> => {
  // As the operator's guide says: a primary without replicas refuses, instead of counting what will
  // be lost.
  const safe = '--min-replicas-to-write 1 --min-replicas-max-lag 2';
  const quick = '--repl-diskless-sync-delay 0 --repl-timeout 5 --repl-ping-replica-period 1';
  const start = (more = '') =>
    startNode(
      clock,
      (port) =>
        `${safe} ${quick} --replica-announce-ip 127.0.0.1 --replica-announce-port ${port} ${more}`,
    );
  const first = await start();
  const replica = () => start(`--replicaof 127.0.0.1 ${first.proxy.port}`);
  const nodes: readonly RedisNode[] = [first, await replica(), await replica()];
  const sentinel = await startSentinelOf(first.proxy.port);

  const primary = async (): Promise<RedisNode> => {
    const reply = await sentinel.command('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'quotas');
    const announced = Number([reply].flat()[1]);
    return nodes.find(({ proxy }) => proxy.port === announced) ?? first;
  };
  return {
    url: () => `redis+sentinel://127.0.0.1:${sentinel.port}/quotas`,
    faults: [
      ...primaryFaults(primary),
      {
        name: 'fail over',
        ...failOverLosses,
        // The Sentinel refuses while it recovers from the fault before.
        begin: () => sentinel.command('SENTINEL', 'FAILOVER', 'quotas').catch(() => {}),
      },
    ],
    settled: () => untilPrimaries(nodes, 1),
    async stop() {
      await sentinel.stop();
      await stopNodes(nodes);
    },
  };
};

/** The slots that move between the first two primaries, and back. */
const moving = { first: 500, last: 4_999 };

const startClusterNode = async (clock: SettableClock): Promise<RedisNode & ClusterNode> => {
  const bus = await freePort();
  const own = `--cluster-enabled yes --cluster-port ${bus} --cluster-node-timeout 1500`;
  const replicas = '--cluster-replica-validity-factor 0 --cluster-allow-replica-migration no';
  const node = await startNode(
    clock,
    (announced) =>
      `${own} ${replicas} --cluster-announce-ip 127.0.0.1 --cluster-announce-port ${announced} --cluster-announce-bus-port ${bus} --repl-diskless-sync-delay 0`,
  );
  return { ...node, bus };
};

/** The primary that owns all moving slots, if all primaries name the same one. */
const ownerOfMoving = async (primaries: readonly RedisNode[]): Promise<RedisNode | undefined> => {
  const named = await Promise.all(
    primaries.map(async ({ server }) => {
      const ranges: unknown = await server.command('CLUSTER', 'SLOTS');
      const range = [ranges]
        .flat()
        .filter(Array.isArray)
        .find(([first, last]) => Number(first) <= moving.first && Number(last) >= moving.last);
      return Number([range?.[2]].flat()[1]);
    }),
  );
  const [port] = named;
  return named.every((each) => each === port)
    ? primaries.find(({ proxy }) => proxy.port === port)
    : undefined;
};

/** Three primaries with a replica each. */
const startCluster = async (clock: SettableClock): Promise<Topology> => {
  const nodes = await Promise.all(Array.from({ length: 6 }, () => startClusterNode(clock)));
  await joinCluster(nodes);
  /** The primary and the replica of a shard, by its number. */
  const shard = async (index: number): Promise<readonly [RedisNode, RedisNode]> => {
    const [one, other] = [nodes[index], nodes[index + 3]];
    if (one === undefined || other === undefined) throw new Error(`there is no shard ${index}`);
    return (await isPrimary(one)) ? [one, other] : [other, one];
  };
  let turn = 0;
  const nextPrimary = async (): Promise<RedisNode> => {
    turn = (turn + 1) % 3;
    return (await shard(turn))[0];
  };
  let resharding: ReturnType<typeof createResharding> | undefined;
  return {
    url: () => `redis://${nodes.map(({ proxy }) => `127.0.0.1:${proxy.port}`).join(',')}`,
    faults: [
      ...primaryFaults(nextPrimary),
      {
        name: 'fail over',
        ...failOverLosses,
        async begin() {
          turn = (turn + 1) % 3;
          const [, replica] = await shard(turn);
          // refused while its link is down
          await replica.server.command('CLUSTER', 'FAILOVER').catch(() => {});
        },
      },
      {
        name: `reshard ${moving.last - moving.first + 1} slots`,
        ...failOverLosses,
        async begin() {
          const primaries = await Promise.all(
            [0, 1, 2].map(async (index) => (await shard(index))[0]),
          );
          const owner = await ownerOfMoving(primaries);
          const to = primaries.find((node) => node !== owner);
          resharding = undefined;
          // nodes disagree about them after the faults before
          if (owner === undefined || to === undefined) return;
          const servers = primaries.map(({ server }) => server);
          resharding = createResharding(
            servers,
            owner.server,
            to.server,
            moving.first,
            moving.last,
          );
          await resharding.begin();
        },
        async end() {
          while (((await resharding?.moveKeys()) ?? 0) > 0);
          await resharding?.finish();
        },
      },
    ],
    settled: () => untilPrimaries(nodes, 3),
    stop: () => stopNodes(nodes),
  };
};

export const topologies = {
  single: startSingle,
  sentinel: startSentinel,
  cluster: startCluster,
} as const;
export type TopologyName = keyof typeof topologies;
