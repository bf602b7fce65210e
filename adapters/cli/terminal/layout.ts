import { Help } from 'commander';
import stringWidth from 'string-width';
import { cutText } from '../../text/table.ts';

/** Columns of a terminal that does not tell its size. */
const defaultColumns = 80;

/** The width of an output; `Infinity` when it is not a terminal. */
export const columnsOf = ({ isTTY, columns }: { readonly isTTY?: boolean; readonly columns?: number }): number =>
  isTTY ? columns || defaultColumns : Number.POSITIVE_INFINITY;

const wrapping = Object.assign(new Help(), { displayWidth: stringWidth, minWidthToWrap: 1 });

/** Breaks a text between words. A word wider than `width`, in terminal columns, stays whole. */
export const wrapWords = (text: string, width: number): string => wrapping.boxWrap(text, width);

/** Breaks a value between words and after the commas of a list, and cuts what is wider than `width`. */
export const wrapValue = (text: string, width: number): string =>
  wrapWords(text.replaceAll(/,(?=[^\s])/g, ', '), width)
    .split('\n')
    .map((line) => cutText(line, width))
    .join('\n');
