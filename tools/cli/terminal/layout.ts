import { Help } from 'commander';
import pc from 'picocolors';
import stringWidth from 'string-width';
import { isColourOff } from '../../../src/runtime/config.ts';
import { graphemes } from './draw-table.ts';

/** Columns of a terminal that does not tell its size. */
const defaultColumns = 80;

/** Whether texts for a terminal have colours. For picocolors any `FORCE_COLOR` turns them on. */
export const hasColours = (): boolean => pc.isColorSupported && !isColourOff();

/** The width of an output; `Infinity` when it is not a terminal. */
export const columnsOf = ({
  isTTY,
  columns,
}: {
  readonly isTTY?: boolean;
  readonly columns?: number;
}): number => (isTTY ? columns || defaultColumns : Number.POSITIVE_INFINITY);

const wrapping = Object.assign(new Help(), { displayWidth: stringWidth, minWidthToWrap: 1 });

/** Breaks a text between words. A word wider than `width`, in terminal columns, stays whole. */
export const wrapWords = (text: string, width: number): string => wrapping.boxWrap(text, width);

/**
 * Breaks a word wider than `width` after the last comma that fits, as in a list, else where the
 * line is full.
 */
const breakWord = (word: string, width: number): string => {
  const lines: string[] = [];
  let line = '';
  for (const { segment } of graphemes.segment(word)) {
    if (line !== '' && stringWidth(line + segment) > width) {
      const end = line.lastIndexOf(',') + 1 || line.length;
      lines.push(line.slice(0, end));
      line = line.slice(end);
    }
    line += segment;
  }
  return [...lines, line].join('\n');
};

/**
 * Breaks a value between words, and words that are wider than `width`. Nothing is cut, and nothing
 * is added but line ends.
 */
export const wrapValue = (text: string, width: number): string =>
  wrapWords(text, width)
    .split('\n')
    .map((line) => (stringWidth(line) > width ? breakWord(line, Math.max(1, width)) : line))
    .join('\n');
