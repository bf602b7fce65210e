import type { Bench } from './bench.ts';

/** A bound that a figure is held to. */
export interface Goal {
  readonly is: 'at least' | 'at most';
  readonly bound: number;
  /** What is judged when there are several runs. */
  readonly of: 'median' | 'every run';
}

/** A number with its unit, of which several runs have a median and a range. */
export interface Quantity {
  readonly value: number;
  /** `×`, `ms`, `%` …. */
  readonly unit: string;
  /** Decimals that are printed; by default as many as the size of the number needs. */
  readonly digits?: number;
}

/** One line of the table, as one run measured it. Lines of several runs belong together by `what`. */
export interface Line {
  readonly what: string;
  readonly figure: Quantity | string;
  /** Missing where there is no goal; a text where the figure is one. */
  readonly goal?: Goal | string;
  /** The verdict on a figure that is a text. */
  readonly met?: boolean;
  /** Further measurements, and which side the comparison favours. */
  readonly notes: readonly string[];
}

/** A row of the table, or a few that are measured together. */
export interface Row {
  /** What `--only` calls it. */
  readonly name: string;
  /** Starts the processes it needs; `main.ts` stops them afterwards. */
  readonly measure: (bench: Bench) => Promise<readonly Line[]>;
}

/** A line whose figure must reach a goal. */
export const atLeast = (what: string, bound: number, unit: string, value: number, notes: readonly string[]): Line => ({
  what,
  figure: { value, unit },
  goal: { is: 'at least', bound, of: 'median' },
  notes,
});

/** A line whose figure must not go above a goal. */
export const atMost = (
  what: string,
  bound: number,
  unit: string,
  value: number,
  notes: readonly string[],
  of: Goal['of'] = 'median',
): Line => ({ what, figure: { value, unit }, goal: { is: 'at most', bound, of }, notes });

/** A line without a goal. */
export const observed = (what: string, unit: string, value: number, notes: readonly string[]): Line => ({
  what,
  figure: { value, unit },
  notes,
});
