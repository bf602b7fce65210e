import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './ports.ts';
import { type RedisServer, startRedisProcess, startRedisServer } from './redis-server.ts';
import { until } from './wait.ts';

const stopAll = async (servers: readonly RedisServer[]): Promise<void> => {
  await Promise.all(servers.map((server) => server.stop()));
};

/** A server of a cluster, and the port on which the nodes communicate. */
export interface ClusterNode {
  readonly server: RedisServer;
  readonly bus: number;
}

/** Waits until the reply of all nodes to a command matches. */
const untilAll = (
  what: string,
  nodes: readonly ClusterNode[],
  command: readonly [name: string, section: string],
  pattern: RegExp,
): Promise<void> =>
  until(what, async () => {
    const replies = await Promise.all(nodes.map(({ server }) => server.command(...command)));
    return replies.every((reply) => pattern.test(String(reply)));
  });

/**
 * Makes a cluster of nodes: the first three are primaries, each with a third of the slots, and
 * others are their replicas.
 */
export const joinCluster = async (nodes: readonly ClusterNode[]): Promise<void> => {
  const [primaries, replicas] = [nodes.slice(0, 3), nodes.slice(3)];
  const [meeting] = nodes;
  for (const [index, { server }] of nodes.entries()) {
    await server.command('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
    const [first = 0, next = 0] = [index, index + 1].map((third) =>
      Math.floor((16_384 * third) / 3),
    );
    if (index < 3) await server.command('CLUSTER', 'ADDSLOTSRANGE', first, next - 1);
    if (index > 0 && meeting !== undefined)
      await server.command('CLUSTER', 'MEET', '127.0.0.1', meeting.server.port, meeting.bus);
  }
  const complete = new RegExp(`cluster_state:ok[\\s\\S]*cluster_known_nodes:${nodes.length}`);
  await untilAll('the nodes know each other', nodes, ['CLUSTER', 'INFO'], complete);
  for (const [index, { server }] of replicas.entries()) {
    const id = await primaries[index]?.server.command('CLUSTER', 'MYID');
    await server.command('CLUSTER', 'REPLICATE', String(id));
  }
  const linked = /master_link_status:up/;
  await untilAll('the replicas are linked', replicas, ['INFO', 'replication'], linked);
};

/** A cluster of three primaries, the last of which may have other environment variables. */
export const startRedisCluster = async (ofLast: Record<string, string> = {}) => {
  const startNode = async (environment = {}): Promise<ClusterNode> => {
    const [port, bus] = [await freePort(), await freePort()];
    const args = `--port ${port} --bind 127.0.0.1 --cluster-enabled yes --cluster-port ${bus}`;
    const others = ['--cluster-node-timeout', '2000', '--save', ''];
    const all = [...args.split(' '), ...others];
    return { server: await startRedisProcess(port, all, undefined, environment), bus };
  };
  const nodes = await Promise.all([startNode(), startNode(), startNode(ofLast)]);
  await joinCluster(nodes);
  const servers = nodes.map(({ server }) => server);
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return { url: `redis://${hosts}`, servers, stop: () => stopAll(servers) };
};

/** A Sentinel that promotes a replica when the primary on this port is silent for 500 ms. */
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
  await until('the Sentinel knows all replicas', async () =>
    String(await sentinel.command('INFO', 'sentinel')).includes(`slaves=${replicas},`),
  );
  return sentinel;
};

/** A primary, its replica, and one Sentinel. */
export const startRedisSentinel = async () => {
  const primary = await startRedisServer('--repl-diskless-sync-delay', '0');
  const replica = await startRedisServer('--replicaof', '127.0.0.1', `${primary.port}`);
  await until('the replica is linked', async () =>
    /master_link_status:up/.test(String(await replica.command('INFO', 'replication'))),
  );
  const sentinel = await startSentinelOf(primary.port, 1);
  const servers = [primary, replica, sentinel];
  const url = `redis+sentinel://127.0.0.1:${sentinel.port}/quotas`;
  return { url, primary, replica, servers, stop: () => stopAll(servers) };
};

export type RedisCluster = Awaited<ReturnType<typeof startRedisCluster>>;
