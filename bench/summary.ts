import type { Line } from './row.ts';
import { median } from './statistics.ts';

/** A line of the table over all runs. */
export interface Summary {
  readonly what: string;
  readonly goal: string;
  /** The median of the runs. */
  readonly figure: string;
  /** The minimum and the maximum; empty for one run. */
  readonly range: string;
  /** `unreliable` replaces a verdict on the goal; empty if there is no goal. */
  readonly verdict: '' | 'met' | 'NOT MET' | 'unreliable';
  /** The notes of the run next to the median. */
  readonly notes: readonly string[];
}

const withUnit = (text: string, unit: string): string =>
  unit === '×' ? `${text}×` : `${text} ${unit}`.trimEnd();

const formatValue = (value: number): string =>
  value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);

const hasGoal = ({ atLeast, atMost }: Line): boolean =>
  atLeast !== undefined || atMost !== undefined;

const formatGoal = ({ atLeast, atMost, unit }: Line): string =>
  withUnit(atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`, unit);

/** A run is unreliable if a server did not have its core, or a rate was not reached. */
const verdictOn = (lines: readonly [Line, ...Line[]]): Summary['verdict'] => {
  const [first] = lines;
  if (lines.some(({ notes }) => notes.some((note) => note.startsWith('unreliable'))))
    return 'unreliable';
  if (!hasGoal(first)) return '';
  const middle = median(lines.map(({ figure }) => figure));
  const { atLeast = middle, atMost = middle } = first;
  return middle >= atLeast && middle <= atMost ? 'met' : 'NOT MET';
};

const summarizeRuns = (lines: readonly [Line, ...Line[]]): Summary => {
  const [line] = lines;
  const { what, unit } = line;
  const values = lines.map(({ figure }) => figure);
  const middle = median(values);
  const distance = ({ figure }: Line): number => Math.abs(figure - middle);
  const typical = lines.reduce((best, other) => (distance(other) < distance(best) ? other : best));
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const range = `${formatValue(least)} to ${withUnit(formatValue(most), unit)}`;
  return {
    what,
    goal: hasGoal(line) ? formatGoal(line) : '',
    figure: Number.isNaN(middle) ? 'could not be measured' : withUnit(formatValue(middle), unit),
    range: values.length === 1 ? '' : range,
    verdict: verdictOn(lines),
    notes: typical.notes,
  };
};

/** One line for each `what`, in the order of first appearance. */
export const summarize = (measured: readonly Line[]): Summary[] => {
  const byWhat = new Map<string, [Line, ...Line[]]>();
  for (const line of measured) {
    const known = byWhat.get(line.what);
    if (known === undefined) byWhat.set(line.what, [line]);
    else known.push(line);
  }
  return [...byWhat.values()].map(summarizeRuns);
};
