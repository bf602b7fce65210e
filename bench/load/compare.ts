import { cpuMs } from '../process/usage.ts';
import { median, quantile } from '../statistics.ts';
import type { Generator } from './generate.ts';
import type { Request } from './messages.ts';

/** A server and the requests it gets. */
export interface Subject {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  readonly requests: readonly Request[];
}

/** One subject's medians over its turns. */
export interface Measured {
  readonly name: string;
  readonly rate: number;
  /** Processor time of the server's process for one request, in microseconds. */
  readonly cpuUs: number;
  /** Share of the time in which the server's process ran: near 1, the server was the bottleneck. */
  readonly busy: number;
  /** Processor time of Redis for one request, in microseconds. */
  readonly redisUs: number;
  readonly p50: number;
  readonly p99: number;
}

export interface Comparison {
  readonly subject: Measured;
  readonly base: Measured;
  /** Requests in the same time, relative to the base. */
  readonly rateRatio: number;
  /** Processor time for a request, relative to the base. */
  readonly cpuRatio: number;
  /** Interquartile range of the rounds' ratios of processor time. */
  readonly cpuSpread: number;
}

export interface CompareOptions {
  readonly rounds: number;
  readonly sliceMs: number;
  /** How long a server runs before anything counts; one that was compared before, not longer than `rewarmMs`. */
  readonly warmUpMs: number;
  readonly connections?: number;
  /** Whose processor time is told, too. */
  readonly redis?: { readonly pid: number };
}

type Turn = Omit<Measured, 'name'>;

/** A subject's turns, and the turns of the base before and after each. */
export interface SubjectTurns<Turn> {
  readonly own: Turn[];
  readonly neighbours: [Turn, Turn][];
}

/** Milliseconds in which a server that is warm gets used to other requests. */
const rewarmMs = 2_500;

const mediansOf = (name: string, turns: readonly Turn[]): Measured => {
  const of = (member: keyof Turn): number => median(turns.map((turn) => turn[member]));
  const [rate, cpuUs, busy] = [of('rate'), of('cpuUs'), of('busy')];
  return { name, rate, cpuUs, busy, redisUs: of('redisUs'), p50: of('p50'), p99: of('p99') };
};

/** Each turn of a subject is between two of the base; its ratio is that to their mean. */
export const ratios = <Turn>({ own, neighbours }: SubjectTurns<Turn>, pick: (turn: Turn) => number): number[] =>
  own.flatMap((turn, round) => {
    const [before, after] = neighbours[round] ?? [];
    return before === undefined || after === undefined ? [] : [(pick(turn) * 2) / (pick(before) + pick(after))];
  });

/**
 * Lets subjects take turns with the base, the base first, last and between any two. A shared machine changes its pace from
 * second to second: neighbours in time meet the same one.
 */
export const takeTurns = async <Subject, Turn>(
  subjects: readonly Subject[],
  base: Subject,
  rounds: number,
  turn: (subject: Subject) => Promise<Turn>,
): Promise<{ readonly bases: readonly Turn[]; readonly subjects: readonly SubjectTurns<Turn>[] }> => {
  let last = await turn(base);
  const bases = [last];
  const turns = subjects.map((): SubjectTurns<Turn> => ({ own: [], neighbours: [] }));
  for (let round = 0; round < rounds; round++) {
    for (const [index, subject] of subjects.entries()) {
      turns[index]?.own.push(await turn(subject));
      const next = await turn(base);
      turns[index]?.neighbours.push([last, next]);
      bases.push(next);
      last = next;
    }
  }
  return { bases, subjects: turns };
};

/** Compares subjects with a base that they take turns with, after a warm-up of each. */
export const compareAll = async (
  generator: Generator,
  subjects: readonly Subject[],
  base: Subject,
  { rounds, sliceMs, warmUpMs, connections = 64, redis }: CompareOptions,
): Promise<Comparison[]> => {
  const turn = async ({ port, pid, requests }: Subject, ms = sliceMs): Promise<Turn> => {
    const redisMs = (): number => (redis === undefined ? Number.NaN : cpuMs(redis.pid));
    const [before, redisBefore] = [cpuMs(pid), redisMs()];
    const slice = await generator.slice({ port, requests, connections, ms });
    const [cpu, redisCpu] = [cpuMs(pid) - before, redisMs() - redisBefore];
    const { answers, p50, p99 } = slice;
    const rate = (answers / slice.ms) * 1000;
    return {
      rate,
      cpuUs: (cpu * 1000) / answers,
      busy: cpu / slice.ms,
      redisUs: (redisCpu * 1000) / answers,
      p50,
      p99,
    };
  };

  for (const subject of [base, ...subjects]) {
    await turn(subject, generator.warm.has(subject.pid) ? Math.min(rewarmMs, warmUpMs) : warmUpMs);
    generator.warm.add(subject.pid);
  }
  const { bases, subjects: turns } = await takeTurns(subjects, base, rounds, (subject) => turn(subject));
  generator.closeConnections();
  return subjects.map(({ name }, index) => {
    const seen = turns[index] ?? { own: [], neighbours: [] };
    const cpu = ratios(seen, ({ cpuUs }) => cpuUs);
    return {
      subject: mediansOf(name, seen.own),
      base: mediansOf(base.name, bases),
      rateRatio: median(ratios(seen, ({ rate }) => rate)),
      cpuRatio: median(cpu),
      cpuSpread: quantile(cpu, 0.75) - quantile(cpu, 0.25),
    };
  });
};

/** The same with one subject. */
export const compare = async (
  generator: Generator,
  subject: Subject,
  base: Subject,
  options: CompareOptions,
): Promise<Comparison> => {
  const [comparison] = await compareAll(generator, [subject], base, options);
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
