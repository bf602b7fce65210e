import { startSentinelOf } from '../redis-groups.ts';
import type { SettableClock } from './settable-clock.ts';
import {
  failOverLosses,
  primaryFaults,
  type RedisNode,
  startNode,
  stopNodes,
  type Topology,
  untilPrimaries,
} from './topology.ts';

/**
 * A primary with two replicas, and a Sentinel that promotes one when the primary has been silent
 * for half a second.
 */
export const startSentinel = async (clock: SettableClock): Promise<Topology> => {
  const announce = (port: number) => [
    '--replica-announce-ip',
    '127.0.0.1',
    '--replica-announce-port',
    String(port),
  ];
  // As the operator's guide says: a primary without replicas refuses, instead of counting what will
  // be lost.
  const safe = ['--min-replicas-to-write', '1', '--min-replicas-max-lag', '2'];
  const quick = [
    ...safe,
    '--repl-diskless-sync-delay',
    '0',
    '--repl-timeout',
    '5',
    '--repl-ping-replica-period',
    '1',
  ];
  const first = await startNode(clock, (port) => [...announce(port), ...quick]);
  const replicaOf = ['--replicaof', '127.0.0.1', String(first.proxy.port)];
  const replica = () => startNode(clock, (port) => [...announce(port), ...quick, ...replicaOf]);
  const nodes: readonly RedisNode[] = [first, await replica(), await replica()];
  const sentinel = await startSentinelOf(first.proxy.port, 2);

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
