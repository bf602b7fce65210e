import type { Bench } from '../bench.ts';
import { cpuMs } from '../process/usage.ts';
import { type Goal, type Line, line } from '../row.ts';
import { median, quantile } from '../statistics.ts';
import type { Request, SliceOrder } from './messages.ts';

/** A server and the requests it gets. */
export interface Subject {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  readonly requests: readonly Request[];
}

/** What was measured in one turn of a server, or of servers that get their requests at the same time. */
export interface Turn {
  /** Requests a second. */
  readonly rate: number;
  /** Processor time of the servers for one request, in microseconds. */
  readonly cpuUs: number;
  /** The same of Redis. */
  readonly redisUs: number;
  /** Share of the time in which the servers ran: near 1, a single server was the bottleneck. */
  readonly busy: number;
  readonly redisBusy: number;
  readonly generatorBusy: number;
  readonly p50: number;
  readonly p99: number;
}

type Pace = Pick<SliceOrder, 'connections' | 'ms' | 'rate'>;

export const takeTurn = async (bench: Bench, subjects: readonly Subject[], pace: Pace): Promise<Turn> => {
  const { generator, redis } = bench;
  const readCpu = () => ({
    servers: subjects.reduce((sum, { pid }) => sum + cpuMs(pid), 0),
    redis: cpuMs(redis.pid),
    generator: cpuMs(generator.pid),
  });
  const before = readCpu();
  const slices = await generator.slices(subjects.map(({ port, requests }) => ({ port, requests, ...pace })));
  const after = readCpu();
  const answers = slices.reduce((sum, slice) => sum + slice.answers, 0);
  const ms = Math.max(...slices.map((slice) => slice.ms));
  const used = (of: keyof typeof after): number => after[of] - before[of];
  return {
    rate: (answers * 1000) / ms,
    cpuUs: (used('servers') * 1000) / answers,
    redisUs: (used('redis') * 1000) / answers,
    busy: used('servers') / ms,
    redisBusy: used('redis') / ms,
    generatorBusy: used('generator') / ms,
    p50: Math.max(...slices.map((slice) => slice.p50)),
    p99: Math.max(...slices.map((slice) => slice.p99)),
  };
};

/** The median of each figure. */
export const medianTurn = (turns: readonly Turn[]): Turn => {
  const of = (member: keyof Turn): number => median(turns.map((turn) => turn[member]));
  return {
    rate: of('rate'),
    cpuUs: of('cpuUs'),
    redisUs: of('redisUs'),
    busy: of('busy'),
    redisBusy: of('redisBusy'),
    generatorBusy: of('generatorBusy'),
    p50: of('p50'),
    p99: of('p99'),
  };
};

/** A subject's turns, and those of the base before and after each. */
export interface Turns {
  readonly own: Turn[];
  readonly base: [Turn, Turn][];
}

/** Each turn of a subject is between two of the base; its ratio is that to their mean. */
export const ratios = ({ own, base }: Turns, member: keyof Turn): number[] =>
  base.map(([before, after], round) => ((own[round]?.[member] ?? 0) * 2) / (before[member] + after[member]));

/**
 * Lets subjects take turns with the base, the base first, last and between any two. A shared machine changes its pace from
 * second to second: neighbours in time meet the same one.
 */
export const alternate = async <Name>(
  subjects: readonly Name[],
  base: Name,
  rounds: number,
  turn: (subject: Name) => Promise<Turn>,
): Promise<Turns[]> => {
  const all = subjects.map((subject): Turns & { subject: Name } => ({ subject, own: [], base: [] }));
  let last = await turn(base);
  for (let round = 0; round < rounds; round++) {
    for (const turns of all) {
      turns.own.push(await turn(turns.subject));
      const next = await turn(base);
      turns.base.push([last, next]);
      last = next;
    }
  }
  return all;
};

export interface Comparison {
  readonly subject: Turn & { readonly name: string };
  readonly base: Turn & { readonly name: string };
  /** Requests in the same time, relative to the base. */
  readonly rateRatio: number;
  /** Processor time for a request, relative to the base. */
  readonly cpuRatio: number;
  /** Interquartile range of the rounds' ratios of processor time. */
  readonly cpuSpread: number;
}

/** Milliseconds in which a server that was compared before gets used to other requests. */
const rewarmMs = 2_500;

/** Compares subjects with a base that they take turns with, after a warm-up of each. */
export const compareAll = async (
  bench: Bench,
  subjects: readonly Subject[],
  base: Subject,
  { rounds = bench.options.rounds, connections = 64 } = {},
): Promise<Comparison[]> => {
  const { generator, options } = bench;
  for (const subject of [base, ...subjects]) {
    const ms = generator.warm.has(subject.pid) ? Math.min(rewarmMs, options.warmUpMs) : options.warmUpMs;
    await takeTurn(bench, [subject], { connections, ms });
    generator.warm.add(subject.pid);
  }
  const pace = { connections, ms: options.sliceMs };
  const all = await alternate(subjects, base, rounds, (subject) => takeTurn(bench, [subject], pace));
  generator.closeConnections();
  return all.map((turns, index) => {
    const cpu = ratios(turns, 'cpuUs');
    return {
      subject: { name: subjects[index]?.name ?? '', ...medianTurn(turns.own) },
      base: { name: base.name, ...medianTurn(turns.base.flat()) },
      rateRatio: median(ratios(turns, 'rate')),
      cpuRatio: median(cpu),
      cpuSpread: quantile(cpu, 0.75) - quantile(cpu, 0.25),
    };
  });
};

/** The same with one subject. */
export const compare = async (
  bench: Bench,
  subject: Subject,
  base: Subject,
  options?: Parameters<typeof compareAll>[3],
): Promise<Comparison> => {
  const [comparison] = await compareAll(bench, [subject], base, options);
  if (comparison === undefined) throw new Error('a comparison has a subject');
  return comparison;
};

/** Below this share another process used the server's core, or the load generator could not keep up. */
const minBusy = 0.85;

/** Both sides of a comparison, a line each, for the notes of a row. */
export const formatComparison = ({ subject, base, cpuRatio }: Comparison): string[] => [
  ...[subject, base].map(
    ({ name, rate, cpuUs, busy, p50, p99 }) =>
      `${name}: ${Math.round(rate)} requests/s, ${Math.round(cpuUs)} µs of processor each, ` +
      `${Math.round(busy * 100)} % busy, p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)} ms`,
  ),
  `by processor time: ${(1 / cpuRatio).toFixed(2)}×`,
  ...(Math.min(subject.busy, base.busy) < minBusy ? ['unreliable: a server did not have its core to itself'] : []),
];

/** A line for the requests that a subject answers in the same time as the base. */
export const rateLine = (what: string, seen: Comparison, goal: Goal, ...notes: string[]): Line =>
  line(what, seen.rateRatio, '×', goal, ...formatComparison(seen), ...notes);
