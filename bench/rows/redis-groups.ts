import { startRedisCluster, startRedisSentinel } from '../../test/support/redis-groups.ts';
import type { RedisServer } from '../../test/support/redis-server.ts';
import { compareTurns, formatSide, takeTurn } from '../load/compare.ts';
import { stopWithRow } from '../process/started.ts';
import { type Line, line, type Row } from '../row.ts';
import { startPaged } from './gateways.ts';

/** Requests a second that each gateway gets. */
const rate = 1_000;

/** Connections to each gateway. */
const connections = 16;

const pidOf = async (server: RedisServer): Promise<number> =>
  Number(/process_id:(\d+)/.exec(String(await server.command('INFO', 'server')))?.[1]);

/**
 * What Sentinel and a Cluster cost: a gateway on each takes turns with one on a single Redis; each
 * gets the same requests a second.
 */
export const redisGroups: Row = async (bench) => {
  const single = await startPaged(bench);
  const pace = { connections, ms: bench.options.sliceMs * 2, rate };
  const lines: Line[] = [];
  for (const [name, start] of [
    ['a primary with a replica, found by Sentinel', startRedisSentinel],
    ['a Cluster of three primaries', startRedisCluster],
  ] as const) {
    const group = await start();
    stopWithRow(group.stop);
    const pids = await Promise.all(group.servers.map(pidOf));
    const grouped = await startPaged(bench, { REDIS_URL: group.url });
    const worlds = { base: bench, subject: { ...bench, redis: { pids } } };
    const gateways = { base: single, subject: grouped };
    for (const side of ['base', 'subject'] as const)
      await takeTurn(bench, [gateways[side]], { connections, ms: bench.options.warmUpMs });
    const { subject, base, ratio } = await compareTurns(
      { subject: name, base: 'one Redis' },
      bench.options.rounds,
      (side) => takeTurn(worlds[side], [gateways[side]], pace),
    );
    lines.push(
      line(
        `quotas in ${name}, against one Redis: processor time of a gateway`,
        ratio('cpuUs'),
        '×',
        {},
        [formatSide(subject), formatSide(base)],
      ),
    );
  }
  return lines;
};
