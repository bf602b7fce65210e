import { Help } from 'commander';
import stringWidth from 'string-width';

/** How texts and columns are made to fit a terminal. Widths are terminal columns: a CJK character takes two. */

/** Columns of a terminal that does not tell its size. */
const defaultColumns = 80;

/** The width of an output; `Infinity` when it is no terminal. */
export const columnsOf = ({ isTTY, columns }: { readonly isTTY?: boolean; readonly columns?: number }): number =>
  isTTY ? columns || defaultColumns : Number.POSITIVE_INFINITY;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The text, or its beginning with `…` when it is wider than `width`. Never cuts a character in two. */
export const cutText = (text: string, width: number): string => {
  if (stringWidth(text) <= width) return text;
  let kept = '';
  for (const { segment } of graphemes.segment(text)) {
    if (stringWidth(kept + segment) >= width) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
};

const wrapping = Object.assign(new Help(), { displayWidth: stringWidth, minWidthToWrap: 1 });

/** Breaks a text between words. A word wider than `width` stays whole. */
export const wrapWords = (text: string, width: number): string => wrapping.boxWrap(text, width);

/** Breaks a value between words and after the commas of a list, and cuts what is wider than `width`. */
export const wrapValue = (text: string, width: number): string =>
  wrapWords(text.replaceAll(/,(?=[^\s])/g, ', '), width)
    .split('\n')
    .map((line) => cutText(line, width))
    .join('\n');

/** Spaces between two columns of a table. */
export const gapWidth = 2;

/** A column is not cut below this width, nor below a third of its widest value: less says nothing. */
const minCutWidth = 12;
const minCutShare = 1 / 3;

/**
 * The widths of a table's columns such that its lines fit: the widest of the columns that may be cut is cut first. `undefined`
 * when the lines do not fit however much is cut.
 */
export const fitWidths = (
  lines: readonly (readonly string[])[],
  isCuttable: readonly boolean[],
  columns: number,
): readonly number[] | undefined => {
  const widths = isCuttable.map((_, index) => Math.max(...lines.map((line) => stringWidth(line[index] ?? ''))));
  const sum = widths.reduce((total, width) => total + width, gapWidth * (widths.length - 1));
  const minimums = widths.map((width) => Math.max(minCutWidth, Math.ceil(width * minCutShare)));
  for (let excess = sum - columns; excess > 0; excess--) {
    const candidates = widths.map((width, index) => (isCuttable[index] && width > (minimums[index] ?? 0) ? width : 0));
    const widest = Math.max(...candidates);
    if (widest === 0) return undefined;
    widths[candidates.indexOf(widest)] = widest - 1;
  }
  return widths;
};
