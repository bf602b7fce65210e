import { startRedisCluster, startRedisSentinel } from '../../test/support/redis-groups.ts';
import type { RedisServer } from '../../test/support/redis-server.ts';
import { compareTurns, formatSide, takeTurn } from '../load/compare.ts';
import { stopWithRow } from '../process/started.ts';
import { type Line, line, type Row } from '../row.ts';
import { type PagedGateway, startPaged } from './gateways.ts';

const size = 4;

/**
 * Requests a second that each gateway gets, whether one runs or four: four of them use about two
 * thirds of a core.
 */
const rate = 1_000;

/** Connections to each gateway. */
const connections = 16;

const pidOf = async (server: RedisServer): Promise<number> =>
  Number(/process_id:(\d+)/.exec(String(await server.command('INFO', 'server')))?.[1]);

/**
 * Four gateways on one Redis take turns with one of them; each gets the same requests a second in
 * both cases.
 */
export const fleet: Row = async (bench) => {
  const { rounds, sliceMs, warmUpMs } = bench.options;
  const all: PagedGateway[] = [];
  while (all.length < size) all.push(await startPaged(bench));
  await takeTurn(bench, all, { connections, ms: warmUpMs * 2 });
  // Twice as long as other turns: at this rate a turn of 250 ms has few requests. Each gateway is
  // the one in its turn.
  const pace = { connections, ms: sliceMs * 2, rate };
  let ones = 0;
  const { subject, base, ratio } = await compareTurns(
    { subject: 'four', base: 'one' },
    rounds,
    (side) => {
      const one = ones % size;
      if (side === 'base') ones += 1;
      return takeTurn(bench, side === 'base' ? all.slice(one, one + 1) : all, pace);
    },
  );
  const full = subject.median('cpuUs') / subject.median('redisUs');
  const what =
    'requests for the same processor time, each of four gateways on one Redis against one';
  return [
    line(what, 1 / ratio('cpuUs'), '×', { atLeast: 0.9 }, [
      formatSide(base),
      formatSide(subject),
      'all gateways share one core, which two would fill: so this is processor time at a fixed rate, not the highest rate',
      `by these times Redis, with a core of its own, is full with ${full.toFixed(1)} gateways that fill a core each`,
      ...(subject.median('rate') < rate * size * 0.95
        ? [`unreliable: ${rate} requests/s each were not reached`]
        : []),
    ]),
  ];
};

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
