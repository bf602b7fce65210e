import stringWidth from 'string-width';
import { sum } from '../../../src/domain/quantities.ts';

/** Tables that fit a terminal. Widths are terminal columns: a CJK character takes two. */

/** Spaces between two columns of a table. */
export const gapWidth = 2;

/** What a reader takes for characters. */
export const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * The text, or its beginning with `…` when it is wider than `width`. Never cuts a character in two.
 */
export const cutText = (text: string, width: number): string => {
  if (stringWidth(text) <= width) return text;
  let kept = '';
  for (const { segment } of graphemes.segment(text)) {
    if (stringWidth(kept + segment) >= width) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
};

const padText = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - stringWidth(text)));

/** The width of each column; `lines` may be of different lengths. */
const widthsOf = (lines: readonly (readonly string[])[]): number[] => {
  const widths: number[] = [];
  for (const line of lines) {
    for (const [index, text] of line.entries())
      widths[index] = Math.max(widths[index] ?? 0, stringWidth(text));
  }
  return widths;
};

/** A cell's lines, beside those of the other cells of its row. */
const linesOf = (row: readonly string[]): string[][] => {
  const cells = row.map((text) => text.split('\n'));
  const height = Math.max(...cells.map(({ length }) => length));
  return Array.from({ length: height }, (_, index) => cells.map((lines) => lines[index] ?? ''));
};

/** Draws rows in aligned columns. A cell may have several lines. */
export const drawTable = (rows: readonly (readonly string[])[]): string => {
  const lines = rows.flatMap(linesOf);
  const widths = widthsOf(lines);
  const gap = ' '.repeat(gapWidth);
  const draw = (line: readonly string[]): string =>
    line.map((text, index) => padText(text, widths[index] ?? 0)).join(gap);
  return lines.map((line) => draw(line).trimEnd()).join('\n');
};

/**
 * The widths of a table's columns such that its lines fit: the widest of the columns that are wider
 * than their minimum gets narrower first. `undefined` when the lines do not fit with every column
 * at its minimum.
 */
export const fitWidths = (
  lines: readonly (readonly string[])[],
  minimums: readonly number[],
  columns: number,
): readonly number[] | undefined => {
  const widths = widthsOf(lines);
  const total = sum(widths) + gapWidth * (widths.length - 1);
  for (let excess = total - columns; excess > 0; excess--) {
    const candidates = widths.map((width, index) =>
      width > (minimums[index] ?? width) ? width : 0,
    );
    const widest = Math.max(...candidates);
    if (widest === 0) return undefined;
    widths[candidates.indexOf(widest)] = widest - 1;
  }
  return widths;
};
