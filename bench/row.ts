import type { Bench } from './bench.ts';
import { stoppingAll } from './process/started.ts';

/** What a number is held to, if anything. */
export interface Goal {
  readonly atLeast?: number;
  readonly atMost?: number;
  /** Every run must reach it, not their median. */
  readonly inEveryRun?: boolean;
}

/**
 * One line of the table, as it was measured once. Lines of several runs belong together by `what`.
 */
export interface Line extends Goal {
  readonly what: string;
  /** `NaN` where it could not be measured. */
  readonly figure: number;
  /** `×`, `ms`, `%` …. */
  readonly unit: string;
  /** Further measurements, and which side the comparison favours. */
  readonly notes: readonly string[];
}

export const line = (
  what: string,
  figure: number,
  unit: string,
  goal: Goal,
  notes: readonly string[] = [],
): Line => ({
  what,
  figure,
  unit,
  ...goal,
  notes,
});

/** Measures a row of the table, or a few together. `main.ts` stops the processes that it starts. */
export type Row = (bench: Bench) => Promise<readonly Line[]>;

/** A row that is measured `--runs` times, each time with new processes. */
export const often =
  (row: Row): Row =>
  async (bench) => {
    const lines: Line[] = [];
    for (let run = 0; run < bench.options.runs; run++)
      lines.push(...(await stoppingAll(() => row(bench))));
    return lines;
  };
