import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './ports.ts';
import { type RedisServer, startRedisProcess, startRedisServer } from './redis-server.ts';
import { until } from './wait.ts';

/** Servers of one cluster or Sentinel set, and their `REDIS_URL`. */
export interface RedisGroup {
  readonly url: string;
  readonly servers: readonly RedisServer[];
  stop(): Promise<void>;
}

const stopAll = async (servers: readonly RedisServer[]): Promise<void> => {
  await Promise.all(servers.map((server) => server.stop()));
};

const slots = 16_384;

/** A cluster of three primaries, each with a third of the slots. */
export const startRedisCluster = async (): Promise<RedisGroup> => {
  const busPorts = [await freePort(), await freePort(), await freePort()] as const;
  const servers = await Promise.all(
    busPorts.map((busPort) =>
      startRedisServer('--cluster-enabled', 'yes', '--cluster-port', String(busPort), '--cluster-node-timeout', '2000'),
    ),
  );
  for (const [index, server] of servers.entries()) {
    const first = Math.floor((slots * index) / servers.length);
    const last = Math.floor((slots * (index + 1)) / servers.length) - 1;
    await server.command('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
    await server.command('CLUSTER', 'ADDSLOTSRANGE', first, last);
    if (index > 0) await server.command('CLUSTER', 'MEET', '127.0.0.1', servers[0]?.port ?? 0, busPorts[0]);
  }
  await until(
    'the cluster is complete',
    async () => {
      const states = await Promise.all(servers.map((server) => server.command('CLUSTER', 'INFO')));
      return states.every((state) => /cluster_state:ok[\s\S]*cluster_known_nodes:3/.test(String(state)));
    },
    20_000,
  );
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return { url: `redis://${hosts}`, servers, stop: () => stopAll(servers) };
};

export interface RedisSentinelGroup extends RedisGroup {
  readonly primary: RedisServer;
  readonly replica: RedisServer;
}

/** A primary, its replica, and one Sentinel that promotes the replica when the primary has been silent for half a second. */
export const startRedisSentinel = async (): Promise<RedisSentinelGroup> => {
  const primary = await startRedisServer('--repl-diskless-sync-delay', '0');
  const replica = await startRedisServer('--replicaof', '127.0.0.1', String(primary.port));
  await until(
    'the replica follows',
    async () => /master_link_status:up/.test(String(await replica.command('INFO', 'replication'))),
    10_000,
  );
  const port = await freePort();
  const settings = [
    `port ${port}`,
    'bind 127.0.0.1',
    `sentinel monitor quotas 127.0.0.1 ${primary.port} 1`,
    'sentinel down-after-milliseconds quotas 500',
    'sentinel failover-timeout quotas 2000',
  ];
  const sentinel = await startRedisProcess(port, ['sentinel.conf', '--sentinel'], (folder) =>
    writeFile(join(folder, 'sentinel.conf'), `${settings.join('\n')}\n`),
  );
  const servers = [primary, replica, sentinel];
  await until(
    'the Sentinel knows the replica',
    async () => /slaves=1,/.test(String(await sentinel.command('INFO', 'sentinel'))),
    15_000,
  );
  return {
    url: `redis+sentinel://127.0.0.1:${port}/quotas`,
    primary,
    replica,
    servers,
    stop: () => stopAll(servers),
  };
};
