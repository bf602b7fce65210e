import { Help } from 'commander';
import pc from 'picocolors';
import stringWidth from 'string-width';
import { isColourOff } from '../../../src/runtime/config.ts';

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
