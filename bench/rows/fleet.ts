import type { Bench } from '../bench.ts';
import { ratios, type SubjectTurns, takeTurns } from '../load/compare.ts';
import { coresFor } from '../process/pinning.ts';
import { cpuMs } from '../process/usage.ts';
import { atLeast, observed, type Row } from '../row.ts';
import { median } from '../statistics.ts';
import { type PagedGateway, startPaged } from './pages.ts';

const size = 4;

/** Requests a second that each gateway gets, whether one runs or four: four of them use about two thirds of a core. */
const rate = 1_000;

const connectionsEach = 16;

/** One turn of some gateways that get their requests at the same time. Processor times in microseconds, shares of a core. */
interface Turn {
  readonly gatewayUs: number;
  readonly redisUs: number;
  readonly gatewayBusy: number;
  readonly redisBusy: number;
  readonly generatorBusy: number;
  /** Requests a second that were answered, of each gateway. */
  readonly answered: number;
  readonly p99: number;
}

const takeTurn = async (
  { generator, redis }: Bench,
  gateways: readonly PagedGateway[],
  pace: { readonly ms: number; readonly rate?: number },
): Promise<Turn> => {
  const readCpu = () => ({
    gateway: gateways.reduce((sum, { pid }) => sum + cpuMs(pid), 0),
    redis: cpuMs(redis.pid),
    generator: cpuMs(generator.pid),
  });
  const before = readCpu();
  const slices = await generator.slices(
    gateways.map(({ port, requests }) => ({ port, requests, connections: connectionsEach, ...pace })),
  );
  const after = readCpu();
  const answers = slices.reduce((sum, slice) => sum + slice.answers, 0);
  const took = Math.max(...slices.map((slice) => slice.ms));
  const used = (of: keyof typeof after): number => after[of] - before[of];
  return {
    gatewayUs: (used('gateway') * 1000) / answers,
    redisUs: (used('redis') * 1000) / answers,
    gatewayBusy: used('gateway') / took,
    redisBusy: used('redis') / took,
    generatorBusy: used('generator') / took,
    answered: (answers * 1000) / took / gateways.length,
    p99: Math.max(...slices.map((slice) => slice.p99)),
  };
};

const format = (name: string, turns: readonly Turn[]): string => {
  const of = (member: keyof Turn): number => median(turns.map((turn) => turn[member]));
  const share = (member: keyof Turn): string => `${Math.round(of(member) * 100)} %`;
  return (
    `${name}: ${Math.round(of('answered'))} requests/s each, ${Math.round(of('gatewayUs'))} µs of a gateway's processor ` +
    `and ${of('redisUs').toFixed(1)} µs of Redis' for each, p99 ${of('p99').toFixed(1)} ms; of a core: gateways ` +
    `${share('gatewayBusy')}, Redis ${share('redisBusy')}, load generator ${share('generatorBusy')}`
  );
};

const formatCores = (cores: readonly number[]): string =>
  new Set(cores).size === cores.length
    ? 'each gateway has a core of its own'
    : 'all gateways share one core, which two would fill: so this is processor time at a fixed rate, not the highest rate';

/** As fast as 16 connections for each gateway can. */
const highestRates = async (bench: Bench, gateways: readonly PagedGateway[]): Promise<string> => {
  const pace = { ms: bench.options.sliceMs * 8 };
  const [one, four] = [await takeTurn(bench, gateways.slice(0, 1), pace), await takeTurn(bench, gateways, pace)];
  return `as fast as they can here: one ${Math.round(one.answered)} requests/s, four together ${Math.round(four.answered * size)}`;
};

/** Four gateways on one Redis take turns with one of them; each gets the same requests a second in both cases. */
export const fleet: Row = {
  name: 'fleet',
  async measure(bench) {
    const { rounds, sliceMs, warmUpMs } = bench.options;
    const cores = coresFor(size);
    const gateways: PagedGateway[] = [];
    for (const core of cores) gateways.push(await startPaged(bench, {}, undefined, core));
    await takeTurn(bench, gateways, { ms: warmUpMs * 2 });
    let next = 0;
    // Twice as long as other turns: at this rate a turn of 250 ms has few requests. Each gateway is the one in its turn.
    const seen = await takeTurns(['four'], 'one', rounds, (subject) => {
      const one = gateways.slice(next, next + 1);
      if (subject === 'one') next = (next + 1) % size;
      return takeTurn(bench, subject === 'four' ? gateways : one, { ms: sliceMs * 2, rate });
    });
    const highest = await highestRates(bench, gateways);
    bench.generator.closeConnections();
    const four: SubjectTurns<Turn> = seen.subjects[0] ?? { own: [], neighbours: [] };
    const medianOf = (member: keyof Turn): number => median(four.own.map((turn) => turn[member]));
    const [gatewayUs, redisUs] = [medianOf('gatewayUs'), medianOf('redisUs')];
    const what = 'requests for the same processor time, each of four gateways on one Redis against one';
    return [
      atLeast(what, 0.9, '×', 1 / median(ratios(four, (turn) => turn.gatewayUs)), [
        format('one', seen.bases),
        format('four', four.own),
        formatCores(cores),
        highest,
        `by these times Redis, with a core of its own, is full with ${(gatewayUs / redisUs).toFixed(1)} gateways that fill a core each`,
        ...(medianOf('answered') < rate * 0.95 ? [`unreliable: ${rate} requests/s each were not reached`] : []),
      ]),
      observed(
        'processor time of Redis for a request, of four gateways against one',
        '×',
        median(ratios(four, (turn) => turn.redisUs)),
        [],
      ),
    ];
  },
};
