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

type Pace = Pick<SliceOrder, 'ms' | 'rate'>;

const connections = 64;

/** One turn of one or more servers. */
export const takeTurn = async (
  { generator, redis }: Bench,
  subjects: readonly Subject[],
  pace: Pace,
) => {
  const readCpu = () => ({
    servers: subjects.reduce((sum, { pid }) => sum + cpuMs(pid), 0),
    redis: cpuMs(redis.pid),
  });
  const before = readCpu();
  const slices = await generator.slices(
    subjects.map(({ port, requests }) => ({ port, requests, connections, ...pace })),
  );
  const after = readCpu();
  const answers = slices.reduce((sum, slice) => sum + slice.answers, 0);
  const ms = Math.max(...slices.map((slice) => slice.ms));
  const used = (of: keyof typeof after): number => after[of] - before[of];
  return {
    /** Requests a second. */
    rate: (answers * 1000) / ms,
    /** Processor time of the servers for one request, in microseconds, and the same of Redis. */
    cpuUs: (used('servers') * 1000) / answers,
    redisUs: (used('redis') * 1000) / answers,
    /** Share of the time in which the servers ran. Near 1, a single server was the bottleneck. */
    busy: used('servers') / ms,
    p50: Math.max(...slices.map((slice) => slice.p50)),
    p99: Math.max(...slices.map((slice) => slice.p99)),
  };
};

type Turn = Awaited<ReturnType<typeof takeTurn>>;

/**
 * Compares two sides in turns. Each turn of the subject is between two turns of the base, because
 * the speed of a shared machine changes from second to second.
 */
export const compareTurns = async (
  names: Readonly<Record<'subject' | 'base', string>>,
  rounds: number,
  turn: (side: 'subject' | 'base') => Promise<Turn>,
) => {
  const own: Turn[] = [];
  const base = [await turn('base')];
  for (let round = 0; round < rounds; round++) {
    own.push(await turn('subject'));
    base.push(await turn('base'));
  }
  /** The ratio of each turn of the subject to the mean of the base before and after it. */
  const ratios = (figure: keyof Turn): number[] => {
    const bases = base.map((one) => one[figure]);
    return own.map(
      (one, round) =>
        (one[figure] * 2) / ((bases[round] ?? Number.NaN) + (bases[round + 1] ?? Number.NaN)),
    );
  };
  const sideOf = (name: string, turns: readonly Turn[]) => ({
    name,
    median: (figure: keyof Turn): number => median(turns.map((turn) => turn[figure])),
  });
  return {
    subject: sideOf(names.subject, own),
    base: sideOf(names.base, base),
    /** The median ratio of a figure, of the subject to the base. */
    ratio: (figure: keyof Turn): number => median(ratios(figure)),
    /** Interquartile range of the rounds' ratios of processor time. */
    cpuSpread: quantile(ratios('cpuUs'), 0.75) - quantile(ratios('cpuUs'), 0.25),
  };
};

type Comparison = Awaited<ReturnType<typeof compareTurns>>;

/** Milliseconds of warm-up for a server that was compared before. */
const rewarmMs = 2_500;

/** Compares two servers after a warm-up of each. */
export const compare = async (
  bench: Bench,
  subject: Subject,
  base: Subject,
  rounds = bench.options.rounds,
): Promise<Comparison> => {
  const { generator, options } = bench;
  for (const one of [base, subject]) {
    const ms = generator.warm.has(one.pid)
      ? Math.min(rewarmMs, options.warmUpMs)
      : options.warmUpMs;
    await takeTurn(bench, [one], { ms });
    generator.warm.add(one.pid);
  }
  const sides = { subject, base };
  const pace = { ms: options.sliceMs };
  const names = { subject: subject.name, base: base.name };
  const seen = await compareTurns(names, rounds, (side) => takeTurn(bench, [sides[side]], pace));
  generator.closeConnections();
  return seen;
};

/** Below this share another process used the server's core, or the load generator was too slow. */
export const minBusy = 0.85;

export const formatSide = ({ name, median: of }: Comparison['subject']): string =>
  `${name}: ${Math.round(of('rate'))} requests/s, ${of('cpuUs').toFixed(1)} µs of processor each and ${of('redisUs').toFixed(1)} of Redis', ` +
  `${Math.round(of('busy') * 100)} % busy, p50 ${of('p50').toFixed(1)}, p99 ${of('p99').toFixed(1)} ms`;

/** Both sides, a line each, for the notes of a row. */
export const formatComparison = ({ subject, base, ratio, cpuSpread }: Comparison): string[] => [
  formatSide(subject),
  formatSide(base),
  `by processor time: ${(1 / ratio('cpuUs')).toFixed(2)}× (interquartile range of the rounds ${cpuSpread.toFixed(3)})`,
  ...(Math.min(subject.median('busy'), base.median('busy')) < minBusy
    ? ['unreliable: a server did not have its core to itself']
    : []),
];

/** Requests that a subject answers in the same time as the base. */
export const rateLine = (what: string, seen: Comparison, goal: Goal): Line =>
  line(what, seen.ratio('rate'), '×', goal, formatComparison(seen));
