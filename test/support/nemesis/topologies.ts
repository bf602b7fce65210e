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
interface Topology {
  /** The `REDIS_URL` of a gateway, by its number. */
  url(gateway: number): string;
  readonly faults: readonly Fault[];
  /** Waits until no previous primary takes writes any more: what it counts is lost. */
  settled?(): Promise<void>;
  stop(): Promise<void>;
}

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
const primaryFaults = (
  pick: () => Promise<RedisNode>,
  kind: Partial<Fault>,
): readonly [Fault, Fault, Fault] => {
  let struck: RedisNode | undefined;
  const fault = (
    name: string,
    begin: (node: RedisNode) => unknown,
    end: (node: RedisNode) => unknown,
  ): Fault => ({
    name,
    ...kind,
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

/** One server with an append-only file. The first gateway reaches it through a proxy of its own. */
const startSingle = async (clock: SettableClock): Promise<Topology> => {
  const node = await startNode(clock, () => '--appendfsync everysec');
  const { server, proxy } = node;
  const first = await startTcpProxy(proxy.port);
  const [kill, ...others] = primaryFaults(async () => node, { isOutage: true });
  return {
    url: (gateway) => server.url(gateway === 0 ? first.port : proxy.port),
    faults: [
      { ...kill, losesFrom: maxUnwrittenMs },
      ...others,
      { name: 'cut one gateway off', begin: () => first.hold(), end: () => first.release() },
      { name: 'reset connections', begin: () => proxy.reset() },
      { name: 'slow network', begin: () => proxy.delay(120), end: () => proxy.delay(0) },
    ],
    async stop() {
      await first.close();
      await node.stop();
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
      ...primaryFaults(primary, failOverLosses),
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
  const nextShard = () => shard(turn++ % 3);
  let isMoved = false;
  let resharding: ReturnType<typeof createResharding> | undefined;
  return {
    url: () => `redis://${nodes.map(({ proxy }) => `127.0.0.1:${proxy.port}`).join(',')}`,
    faults: [
      ...primaryFaults(async () => (await nextShard())[0], failOverLosses),
      {
        name: 'fail over',
        ...failOverLosses,
        async begin() {
          const [, replica] = await nextShard();
          // refused while its link is down
          await replica.server.command('CLUSTER', 'FAILOVER').catch(() => {});
        },
      },
      {
        name: 'move slots between the first two primaries',
        ...failOverLosses,
        async begin() {
          const [[one], [two], [three]] = await Promise.all([shard(0), shard(1), shard(2)]);
          const [from, to] = isMoved ? [two, one] : [one, two];
          resharding = createResharding(from.server, to.server, [three.server]);
          await resharding.begin();
        },
        async end() {
          while (((await resharding?.moveKeys()) ?? 0) > 0);
          await resharding?.finish();
          isMoved = !isMoved;
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
