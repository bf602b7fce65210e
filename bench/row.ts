import type { Bench } from './bench.ts';

/** One line of the table. */
export interface Line {
  readonly what: string;
  /** As the table tells it, like `≥ 0.55`; missing for what is only told. */
  readonly goal?: string;
  readonly figure: string;
  /** Whether the goal is met; missing for what is only told. */
  readonly met?: boolean;
  /** What else was seen, and whom the comparison favours. */
  readonly notes: readonly string[];
}

/** A row of the table, or a few that are measured together. */
export interface Row {
  /** What `--only` calls it. */
  readonly name: string;
  /** Starts what it needs; what it started is stopped after it. */
  readonly measure: (bench: Bench) => Promise<readonly Line[]>;
}

const say = (value: number, unit: string): string => {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return `${value.toFixed(digits)}${unit === '×' || unit === '' ? unit : ` ${unit}`}`;
};

/** A line whose figure must reach a goal. */
export const atLeast = (what: string, goal: number, unit: string, value: number, notes: readonly string[]): Line => ({
  what,
  goal: `≥ ${goal}${unit}`,
  figure: say(value, unit),
  met: value >= goal,
  notes,
});

/** A line whose figure must not go above a goal. */
export const atMost = (what: string, goal: number, unit: string, value: number, notes: readonly string[]): Line => ({
  what,
  goal: `≤ ${goal} ${unit}`,
  figure: say(value, unit),
  met: value <= goal,
  notes,
});
