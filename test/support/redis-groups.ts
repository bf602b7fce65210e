import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './ports.ts';
import { type RedisServer, startRedisProcess, startRedisServer } from './redis-server.ts';
import { until } from './wait.ts';

const stopAll = async (servers: readonly RedisServer[]): Promise<void> => {
  await Promise.all(servers.map((server) => server.stop()));
};

const slots = 16_384;

/** A server of a cluster, and the port on which the nodes speak with each other. */
export interface ClusterNode {
  readonly server: RedisServer;
  readonly bus: number;
}

/**
 * Makes a cluster of nodes: the first three are primaries, each with a third of the slots, and any
 * others replicas of them.
 */
export const joinCluster = async (nodes: readonly ClusterNode[]): Promise<void> => {
  const [primaries, replicas] = [nodes.slice(0, 3), nodes.slice(3)];
  const [meeting] = nodes;
  for (const [index, { server }] of nodes.entries()) {
    await server.command('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
    const [first, next] = [index, index + 1].map((third) => Math.floor((slots * third) / 3));
    if (index < 3) await server.command('CLUSTER', 'ADDSLOTSRANGE', first ?? 0, (next ?? 0) - 1);
    if (index > 0)
      await server.command(
        'CLUSTER',
        'MEET',
        '127.0.0.1',
        meeting?.server.port ?? 0,
        meeting?.bus ?? 0,
      );
  }
  const untilAll = (
    what: string,
    these: readonly ClusterNode[],
    command: string[],
    pattern: RegExp,
  ): Promise<void> =>
    until(what, async () => {
      const [name = '', ...words] = command;
      const replies = await Promise.all(these.map(({ server }) => server.command(name, ...words)));
      return replies.every((reply) => pattern.test(String(reply)));
    });
  const complete = new RegExp(`cluster_state:ok[\\s\\S]*cluster_known_nodes:${nodes.length}`);
  await untilAll('the nodes know each other', nodes, ['CLUSTER', 'INFO'], complete);
  for (const [index, { server }] of replicas.entries())
    await server.command(
      'CLUSTER',
      'REPLICATE',
      String(await primaries[index]?.server.command('CLUSTER', 'MYID')),
    );
  await untilAll('the replicas follow', replicas, ['INFO', 'replication'], /master_link_status:up/);
};

/** A cluster of three primaries, the last of which may have other environment variables. */
export const startRedisCluster = async (ofLast: Record<string, string> = {}) => {
  const startClusterNode = async (environment = {}): Promise<ClusterNode> => {
    const [port, bus] = [await freePort(), await freePort()];
    const args = [
      ...['--port', String(port), '--bind', '127.0.0.1', '--save', ''],
      ...['--cluster-enabled', 'yes', '--cluster-port', String(bus)],
      ...['--cluster-node-timeout', '2000'],
    ];
    return { server: await startRedisProcess(port, args, undefined, environment), bus };
  };
  const nodes = await Promise.all([
    startClusterNode(),
    startClusterNode(),
    startClusterNode(ofLast),
  ]);
  await joinCluster(nodes);
  const servers = nodes.map(({ server }) => server);
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return { url: `redis://${hosts}`, servers, stop: () => stopAll(servers) };
};

/**
 * A Sentinel that promotes a replica when the primary on this port has been silent for half a
 * second.
 */
export const startSentinelOf = async (
  primaryPort: number,
  replicas: number,
): Promise<RedisServer> => {
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
  const knowsAll = async () =>
    String(await sentinel.command('INFO', 'sentinel')).includes(`slaves=${replicas},`);
  await until('the Sentinel knows all replicas', knowsAll);
  return sentinel;
};

/** A primary, its replica, and one Sentinel. */
export const startRedisSentinel = async () => {
  const primary = await startRedisServer('--repl-diskless-sync-delay', '0');
  const replica = await startRedisServer('--replicaof', '127.0.0.1', String(primary.port));
  await until('the replica follows', async () =>
    /master_link_status:up/.test(String(await replica.command('INFO', 'replication'))),
  );
  const sentinel = await startSentinelOf(primary.port, 1);
  const servers = [primary, replica, sentinel];
  return {
    url: `redis+sentinel://127.0.0.1:${sentinel.port}/quotas`,
    primary,
    replica,
    servers,
    stop: () => stopAll(servers),
  };
};

export type RedisCluster = Awaited<ReturnType<typeof startRedisCluster>>;
export type RedisSentinel = Awaited<ReturnType<typeof startRedisSentinel>>;
