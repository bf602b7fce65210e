import type { Bench } from './bench.ts';
import { stoppingAll } from './process/started.ts';

/** The goal of a number, if it has one. */
export interface Goal {
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** One line of the table, from one run. Lines of several runs have the same `what`. */
export interface Line extends Goal {
  readonly what: string;
  /** `NaN` if it could not be measured. */
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

/** Measures one or more rows. `main.ts` stops its processes. */
export type Row = (bench: Bench) => Promise<readonly Line[]>;

/** Measured `--runs` times, each time with new processes. */
export const often =
  (row: Row): Row =>
  async (bench) => {
    const lines: Line[] = [];
    for (let run = 0; run < bench.options.runs; run++)
      lines.push(...(await stoppingAll(() => row(bench))));
    return lines;
  };
