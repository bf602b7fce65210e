import { compareTurns, formatSide, takeTurn } from '../load/compare.ts';
import { coresFor } from '../process/pinning.ts';
import { line, type Row } from '../row.ts';
import { type PagedGateway, startPaged } from './gateways.ts';

const size = 4;

/** Requests a second that each gateway gets, whether one runs or four: four of them use about two thirds of a core. */
const rate = 1_000;

/** Connections to each gateway. */
const connections = 16;

const formatCores = (cores: readonly number[]): string =>
  new Set(cores).size === cores.length
    ? 'each gateway has a core of its own'
    : 'all gateways share one core, which two would fill: so this is processor time at a fixed rate, not the highest rate';

/** Four gateways on one Redis take turns with one of them; each gets the same requests a second in both cases. */
export const fleet: Row = async (bench) => {
  const { rounds, sliceMs, warmUpMs } = bench.options;
  const cores = coresFor(size);
  const all: PagedGateway[] = [];
  for (const core of cores) all.push(await startPaged(bench, {}, core));
  await takeTurn(bench, all, { connections, ms: warmUpMs * 2 });
  // Twice as long as other turns: at this rate a turn of 250 ms has few requests. Each gateway is the one in its turn.
  const pace = { connections, ms: sliceMs * 2, rate };
  let ones = 0;
  const { subject, base, ratio } = await compareTurns({ subject: 'four', base: 'one' }, rounds, (side) => {
    const one = ones % size;
    if (side === 'base') ones += 1;
    return takeTurn(bench, side === 'base' ? all.slice(one, one + 1) : all, pace);
  });
  const unpaced = { connections, ms: sliceMs * 8 };
  const fastestOne = await takeTurn(bench, all.slice(0, 1), unpaced);
  const fastestFour = await takeTurn(bench, all, unpaced);
  const full = subject.median('cpuUs') / subject.median('redisUs');
  const what = 'requests for the same processor time, each of four gateways on one Redis against one';
  return [
    line(what, 1 / ratio('cpuUs'), '×', { atLeast: 0.9 }, [
      formatSide(base),
      formatSide(subject),
      formatCores(cores),
      `as fast as they can here: one ${Math.round(fastestOne.rate)} requests/s, four together ${Math.round(fastestFour.rate)}`,
      `by these times Redis, with a core of its own, is full with ${full.toFixed(1)} gateways that fill a core each`,
      ...(subject.median('rate') < rate * size * 0.95 ? [`unreliable: ${rate} requests/s each were not reached`] : []),
    ]),
    line('processor time of Redis for a request, of four gateways against one', ratio('redisUs'), '×', {}),
  ];
};
