import { freePort } from '../ports.ts';
import { type ClusterNode, joinCluster } from '../redis-groups.ts';
import { createResharding } from '../redis-resharding.ts';
import type { SettableClock } from './settable-clock.ts';
import {
  failOverLosses,
  isPrimary,
  primaryFaults,
  type RedisNode,
  startNode,
  stopNodes,
  type Topology,
  untilPrimaries,
} from './topology.ts';

/** The slots that move between the first two primaries, and back. */
const moving = { first: 500, last: 4_999 };

const startClusterNode = async (clock: SettableClock): Promise<RedisNode & ClusterNode> => {
  const bus = await freePort();
  const node = await startNode(clock, (announced) => [
    ...[
      '--cluster-enabled',
      'yes',
      '--cluster-port',
      String(bus),
      '--cluster-node-timeout',
      '1500',
    ],
    ...['--cluster-announce-ip', '127.0.0.1', '--cluster-announce-port', String(announced)],
    ...['--cluster-announce-bus-port', String(bus), '--cluster-replica-validity-factor', '0'],
    ...['--cluster-allow-replica-migration', 'no', '--repl-diskless-sync-delay', '0'],
  ]);
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
export const startCluster = async (clock: SettableClock): Promise<Topology> => {
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
