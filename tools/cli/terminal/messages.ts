import { plainText } from '../../../adapters/text/plain-text.ts';
import { redactKeyTexts } from '../../../src/keys/key-format.ts';
import { columnsOf, wrapWords } from './layout.ts';

/**
 * What stands before the `@` of a URL: a user, or a user and a password, which may have a slash
 * that should have been escaped.
 */
const credentials = /\/\/(?:[^/]+|[^/]*:.*)$/;

const withoutCredentials = (word: string): string => {
  const parts = word.split('@');
  const last = parts.pop() ?? '';
  const kept: string[] = [];
  for (const part of parts) {
    // A password may have an `@` that should have been escaped; behind the host one can stand in
    // the query only.
    const isInPassword = kept.at(-1)?.endsWith('//…') === true && !part.includes('?');
    if (!isInPassword) kept.push(part.replace(credentials, '//…'));
  }
  return [...kept, last].join('@');
};

/** Redacts secrets: of a key's text the public id remains, of a URL with credentials the host. */
export const withoutSecrets = (text: string): string =>
  redactKeyTexts(text).replaceAll(/\S+/g, withoutCredentials);

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
export const note = (text: string): void => noteLines(plainText(text));
