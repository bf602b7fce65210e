import { withoutSecrets } from '../../../adapters/process/standard-error.ts';
import { plainText, withVisibleMarks } from '../../../adapters/text/plain-text.ts';
import { columnsOf, wrapWords } from './layout.ts';

/**
 * Writes lines of plain texts and colours to standard error, wrapped between words on a terminal.
 */
export const noteLines = (text: string): void => {
  process.stderr.write(`${wrapWords(withoutSecrets(text), columnsOf(process.stderr))}\n`);
};

/**
 * Writes a line to standard error, wrapped between words on a terminal; standard output holds only
 * the result.
 */
export const note = (text: string): void => noteLines(withVisibleMarks(plainText(text)));
