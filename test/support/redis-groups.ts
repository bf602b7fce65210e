import { freePort } from './ports.ts';
import { type RedisServer, startRedisProcess } from './redis-server.ts';
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
  const [one, two, three] = await Promise.all([startNode(), startNode(), startNode(ofLast)]);
  await joinCluster([one, two, three]);
  const servers = [one.server, two.server, three.server] as const;
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return { url: `redis://${hosts}`, servers, stop: () => stopAll(servers) };
};

/**
 * Most slots of the first of three nodes. (A node that gives away all of them becomes a replica.)
 */
const slots = Array.from({ length: 5_000 }, (_, slot) => slot);

/**
 * Prepares to move slots of a cluster with these primaries, in the steps of `redis-cli --cluster
 * reshard`, each for all slots.
 */
export const createResharding = (
  from: RedisServer,
  to: RedisServer,
  others: readonly RedisServer[],
) => {
  const idOf = async (server: RedisServer): Promise<string> =>
    String(await server.command('CLUSTER', 'MYID'));
  const setSlots = async (server: RedisServer, state: string, node: RedisServer): Promise<void> => {
    const id = await idOf(node);
    await server.commands(slots.map((slot) => ['CLUSTER', 'SETSLOT', slot, state, id]));
  };
  return {
    /**
     * From now on `from` answers `ASK` for keys it does not have, and `to` serves them after
     * `ASKING`.
     */
    async begin() {
      await setSlots(to, 'IMPORTING', from);
      await setSlots(from, 'MIGRATING', to);
    },
    /** Moves the keys that `from` still has; resolves to their number. */
    async moveKeys() {
      const found = await from.commands(
        slots.map((slot) => ['CLUSTER', 'GETKEYSINSLOT', slot, 100]),
      );
      const keys = found.flat().map(String);
      await from.commands(keys.map((key) => ['MIGRATE', '127.0.0.1', to.port, key, 0, 1_000]));
      return keys.length;
    },
    /** Makes `to` the owner. */
    async finish() {
      for (const server of [to, from, ...others]) await setSlots(server, 'NODE', to);
    },
  };
};
