import type { Goal, Line, Quantity } from './row.ts';
import { median } from './statistics.ts';

/** A line of the table over all runs. */
export interface Summary {
  readonly what: string;
  readonly goal: string;
  /** The median of the runs. */
  readonly figure: string;
  /** The least and the most of them; empty for one run. */
  readonly range: string;
  /** Missing where there is no goal. */
  readonly met: boolean | undefined;
  /** Those of the run whose figure is next to the median. */
  readonly notes: readonly string[];
}

const withUnit = (text: string, unit: string): string => `${text}${unit === '×' ? unit : ` ${unit}`}`;

const formatValue = (value: number, digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2): string =>
  value.toFixed(digits);

const formatGoal = ({ is, bound, of }: Goal, unit: string): string =>
  `${is === 'at least' ? '≥' : '≤'} ${withUnit(String(bound), unit)}${of === 'every run' ? ' in every run' : ''}`;

const isMet = ({ is, bound, of }: Goal, values: readonly number[]): boolean => {
  const judged = of === 'median' ? [median(values)] : values;
  return judged.every((value) => (is === 'at least' ? value >= bound : value <= bound));
};

interface Measured extends Line {
  readonly figure: Quantity;
}

const isMeasured = (line: Line): line is Measured => typeof line.figure !== 'string';

const summarizeNumbers = (lines: readonly [Measured, ...Measured[]], runs: number): Summary => {
  const [{ what, goal, figure }] = lines;
  const { unit, digits } = figure;
  const values = lines.map((line) => line.figure.value);
  const middle = median(values);
  const distance = (line: Measured): number => Math.abs(line.figure.value - middle);
  const typical = lines.reduce((best, line) => (distance(line) < distance(best) ? line : best));
  const range = `${formatValue(Math.min(...values), digits)} to ${withUnit(formatValue(Math.max(...values), digits), unit)}`;
  const isJudged = goal !== undefined && typeof goal !== 'string';
  return {
    what,
    goal: isJudged ? formatGoal(goal, unit) : '',
    figure: withUnit(formatValue(middle, digits), unit),
    range: `${runs === 1 ? '' : range}${values.length < runs ? ` (${values.length} of ${runs} runs)` : ''}`,
    met: isJudged ? isMet(goal, values) : undefined,
    notes: typical.notes,
  };
};

const summarizeTexts = (lines: readonly [Line, ...Line[]]): Summary => ({
  what: lines[0].what,
  goal: String(lines[0].goal ?? ''),
  figure: [...new Set(lines.map(({ figure }) => String(figure)))].join(' / '),
  range: '',
  met: lines.every(({ met }) => met === undefined) ? undefined : lines.every(({ met }) => met !== false),
  notes: [...new Set(lines.flatMap(({ notes }) => notes))],
});

/** The lines of all runs, one for each `what`, in the order in which they first appeared. */
export const summarize = (runs: readonly (readonly Line[])[]): Summary[] => {
  const byWhat = new Map<string, [Line, ...Line[]]>();
  for (const line of runs.flat()) {
    const known = byWhat.get(line.what);
    if (known === undefined) byWhat.set(line.what, [line]);
    else known.push(line);
  }
  return [...byWhat.values()].map((lines) => {
    const [first, ...others] = lines.filter(isMeasured);
    return first === undefined ? summarizeTexts(lines) : summarizeNumbers([first, ...others], runs.length);
  });
};
