import { plainLines, plainText } from '../../text/plain-text.ts';
import { columnsOf, wrapWords } from './layout.ts';

const keyTexts = /\baik_([0-9A-Za-z]{1,64})_[0-9A-Za-z]+/g;
const credentials = /(\/\/)[^/@\s]+@/g;

/** Redacts secrets: of a key's text the public id remains, of a URL with credentials the host. */
export const withoutSecrets = (text: string): string => text.replace(keyTexts, 'aik_$1_…').replace(credentials, '$1…@');

/** A text for a terminal: lines without secrets, and without characters that could move the cursor or turn the text. */
export const safeLines = (text: string): string => plainLines(withoutSecrets(text));

/** Writes lines of plain texts and colours to standard error, wrapped between words on a terminal. */
export const noteLines = (text: string): void => {
  process.stderr.write(`${wrapWords(withoutSecrets(text), columnsOf(process.stderr))}\n`);
};

/** Writes a line to standard error, wrapped between words on a terminal; standard output holds only the result. */
export const note = (text: string): void => noteLines(plainText(text));
