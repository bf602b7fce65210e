import type { Line } from './row.ts';
import { median } from './statistics.ts';

/** A line of the table over all runs. */
export interface Summary {
  readonly what: string;
  readonly goal: string;
  /** The median of the runs. */
  readonly figure: string;
  /** The least and the most of them; empty for one run. */
  readonly range: string;
  /** `undefined` where there is no goal. */
  readonly met: boolean | undefined;
  /** Those of the run whose figure is next to the median. */
  readonly notes: readonly string[];
}

const withUnit = (text: string, unit = ''): string => (unit === '×' ? `${text}×` : `${text} ${unit}`);

const formatValue = (value: number, digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2): string =>
  value.toFixed(digits);

const formatGoal = ({ atLeast, atMost, unit, inEveryRun }: Line): string => {
  if (atLeast === undefined && atMost === undefined) return '';
  const bound = atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`;
  return `${withUnit(bound, unit)}${inEveryRun ? ' in every run' : ''}`;
};

const isMet = ({ atLeast, atMost, inEveryRun }: Line, values: readonly number[]): boolean | undefined => {
  if (atLeast === undefined && atMost === undefined) return undefined;
  const judged = inEveryRun ? values : [median(values)];
  return judged.every((value) => value >= (atLeast ?? value) && value <= (atMost ?? value));
};

const summarizeNumbers = (lines: readonly [Line, ...Line[]], runs: number): Summary => {
  const [line] = lines;
  const { what, unit, digits } = line;
  const values = lines.map(({ figure }) => Number(figure));
  const middle = median(values);
  const distance = ({ figure }: Line): number => Math.abs(Number(figure) - middle);
  const typical = lines.reduce((best, other) => (distance(other) < distance(best) ? other : best));
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const range = `${formatValue(least, digits)} to ${withUnit(formatValue(most, digits), unit)}`;
  return {
    what,
    goal: formatGoal(line),
    figure: withUnit(formatValue(middle, digits), unit),
    range: `${runs === 1 ? '' : range}${values.length < runs ? ` (${values.length} of ${runs} runs)` : ''}`,
    met: isMet(line, values),
    notes: typical.notes ?? [],
  };
};

const summarizeTexts = (lines: readonly [Line, ...Line[]]): Summary => ({
  what: lines[0].what,
  goal: lines[0].goal ?? '',
  figure: [...new Set(lines.map(({ figure }) => figure))].join(' / '),
  range: '',
  met: lines[0].met === undefined ? undefined : lines.every(({ met }) => met),
  notes: [...new Set(lines.flatMap(({ notes = [] }) => notes))],
});

/** The lines of all runs, one for each `what`, in the order in which they first appeared. */
export const summarize = (runs: readonly (readonly Line[])[]): Summary[] => {
  const byWhat = new Map<string, [Line, ...Line[]]>();
  for (const line of runs.flat()) {
    const known = byWhat.get(line.what);
    if (known === undefined) byWhat.set(line.what, [line]);
    else known.push(line);
  }
  return [...byWhat.values()].map((lines) =>
    typeof lines[0].figure === 'number' ? summarizeNumbers(lines, runs.length) : summarizeTexts(lines),
  );
};
