import pc from 'picocolors';
import stringWidth from 'string-width';
import { cutText, drawTable, fitWidths } from './draw-table.ts';
import { hasColours, wrapValue } from './layout.ts';

/** How a column gives way on a terminal that is too narrow. */
export interface ColumnRule {
  readonly title: string;
  /**
   * Whether a terminal that is too narrow may get the beginning of its values. Identifiers must
   * stay whole.
   */
  readonly isCuttable?: true;
  /** Whether such a terminal gets its values in several lines: what to do must be readable. */
  readonly isWrapped?: true;
  /**
   * A terminal that is still too narrow does without columns: those with the lowest importance
   * first, then those without one from the right, never the first.
   */
  readonly importance?: number;
}

/**
 * A column is not narrower than this, and not cut below a third of its widest value: less says
 * nothing.
 */
const minWidth = 12;
const minCutShare = 1 / 3;

/**
 * So much of a cut value, and words up to this wide, are shown if need be at the cost of columns
 * that may be left out.
 */
const maxMinWidth = 30;

const widest = (texts: readonly string[]): number =>
  Math.max(0, ...texts.map((text) => stringWidth(text)));

/**
 * The least width of a column, with words up to `wordWidth` whole; `Infinity` when it must stay as
 * it is.
 */
const minimumOf = (
  { isCuttable, isWrapped, importance }: ColumnRule,
  values: readonly string[],
  wordWidth: number,
): number => {
  if (isWrapped && importance === undefined) {
    const words = values.flatMap((value) => value.split(/(?<=,)|\s+/));
    return Math.max(minWidth, Math.min(wordWidth, widest(words)));
  }
  return isCuttable || isWrapped
    ? Math.max(minWidth, Math.min(maxMinWidth, Math.ceil(widest(values) * minCutShare)))
    : Number.POSITIVE_INFINITY;
};

/** The column to leave out next, by its place; never the first one. */
const leastImportant = (columns: readonly ColumnRule[]): number => {
  const ranks = columns.slice(1).map(({ importance = Number.MAX_SAFE_INTEGER }) => importance);
  return ranks.lastIndexOf(Math.min(...ranks)) + 1;
};

/** Rows for a terminal of this width, in the columns that fit it, and how many columns do not. */
export const drawListing = (
  columns: readonly ColumnRule[],
  lines: readonly (readonly string[])[],
  width: number,
): { readonly text: string; readonly leftOut: number } => {
  const titles = columns.map(({ title }) => title);
  const values = columns.map((_, index) => [titles, ...lines].map((line) => line[index] ?? ''));
  const fitWith = (wordWidth: number) => {
    const minimums = columns.map((column, index) =>
      minimumOf(column, values[index] ?? [], wordWidth),
    );
    return fitWidths([titles, ...lines], minimums, width);
  };
  const mayLeaveOut = columns.slice(1).some(({ importance }) => importance !== undefined);
  const widths = fitWith(maxMinWidth) ?? (mayLeaveOut ? undefined : fitWith(minWidth));
  if (widths === undefined && columns.length > 1) {
    const left = leastImportant(columns);
    const others = lines.map((line) => line.toSpliced(left, 1));
    const { text, leftOut } = drawListing(columns.toSpliced(left, 1), others, width);
    return { text, leftOut: leftOut + 1 };
  }
  const fit = (text: string, index: number): string => {
    const room = widths?.[index] ?? width;
    if (columns[index]?.isCuttable) return cutText(text, room);
    return Number.isFinite(width) ? wrapValue(text, room) : text;
  };
  const { bold } = pc.createColors(hasColours());
  return {
    text: drawTable([titles.map(fit).map(bold), ...lines.map((line) => line.map(fit))]),
    leftOut: 0,
  };
};
