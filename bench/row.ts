import type { Bench } from './bench.ts';

/** One line of the table, as one run measured it. Lines of several runs belong together by `what`. */
export interface Line {
  readonly what: string;
  /** A number, of which several runs have a median and a range, or a text. */
  readonly figure: number | string;
  /** Of a number: `×`, `ms`, `%` …. */
  readonly unit?: string;
  /** Decimals that are printed; by default as many as the size of the number needs. */
  readonly digits?: number;
  /** The goal of a number. */
  readonly atLeast?: number;
  readonly atMost?: number;
  /** Every run must reach the goal, not their median. */
  readonly inEveryRun?: boolean;
  /** The goal of a text, and whether it is reached. */
  readonly goal?: string;
  readonly met?: boolean;
  /** Further measurements, and which side the comparison favours. */
  readonly notes?: readonly string[];
}

/** A row of the table, or a few that are measured together. */
export interface Row {
  /** What `--only` calls it. */
  readonly name: string;
  /** Starts the processes it needs; `main.ts` stops them afterwards. */
  readonly measure: (bench: Bench) => Promise<readonly Line[]>;
}
