import type { Bench } from './bench.ts';

/** One line of the table. */
export interface Line {
  readonly what: string;
  /** As the table prints it, like `≥ 0.55`; missing where there is no goal. */
  readonly goal?: string;
  readonly figure: string;
  /** Missing where there is no goal. */
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

const formatValue = (value: number, unit: string): string => {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return `${value.toFixed(digits)}${unit === '×' || unit === '' ? unit : ` ${unit}`}`;
};

/** A line whose figure must reach a goal. */
export const atLeast = (what: string, goal: number, unit: string, value: number, notes: readonly string[]): Line => ({
  what,
  goal: `≥ ${goal}${unit}`,
  figure: formatValue(value, unit),
  met: value >= goal,
  notes,
});

/** A line whose figure must not go above a goal. */
export const atMost = (what: string, goal: number, unit: string, value: number, notes: readonly string[]): Line => ({
  what,
  goal: `≤ ${goal} ${unit}`,
  figure: formatValue(value, unit),
  met: value <= goal,
  notes,
});
