import { redactKeyTexts } from '../../src/keys/key-format.ts';
import { oneLine, plainText } from '../text/plain-text.ts';

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

/** Writes one line to standard error, without secrets and control characters. */
export const writeLine = (text: string): void => {
  process.stderr.write(`${withoutSecrets(plainText(oneLine(text)))}\n`);
};

/**
 * Ends the process with this code, but not before slow readers have what was written. What is left
 * open ends with it.
 */
export const exitWith = async (code: number): Promise<never> => {
  const drained = (stream: NodeJS.WriteStream): Promise<void> =>
    new Promise((resolve) => {
      stream.write('', () => resolve());
    });
  if (code !== 0) process.exitCode = code;
  await Promise.all([drained(process.stdout), drained(process.stderr)]);
  process.exit(); // output that cannot be written sets a code meanwhile
};
