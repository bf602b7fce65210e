import { redactKeyTexts } from '../../src/keys/key-format.ts';
import { oneLine, plainText } from '../text/plain-text.ts';

/**
 * The part of a URL before `@`: a user, or a user and a password. The password may contain an
 * unescaped slash.
 */
const credentials = /\/\/(?:[^/]+|[^/]*:.*)$/;

const withoutCredentials = (word: string): string => {
  const parts = word.split('@');
  const last = parts.pop() ?? '';
  const kept: string[] = [];
  for (const part of parts) {
    // A password may contain an unescaped `@`; after the host, `@` occurs only in the query.
    const isInPassword = kept.at(-1)?.endsWith('//…') === true && !part.includes('?');
    if (!isInPassword) kept.push(part.replace(credentials, '//…'));
  }
  return [...kept, last].join('@');
};

/** Redacts secrets: a key keeps its public id, a URL with credentials keeps the host. */
export const withoutSecrets = (text: string): string =>
  redactKeyTexts(text).replaceAll(/\S+/g, withoutCredentials);

/** Writes one line to standard error, without secrets and control characters. */
export const writeLine = (text: string): void => {
  process.stderr.write(`${withoutSecrets(plainText(oneLine(text)))}\n`);
};

/**
 * Ends the process with this code after slow readers have received the output. Open resources end
 * with the process.
 */
export const exitWith = async (code: number): Promise<never> => {
  const drained = (stream: NodeJS.WriteStream): Promise<void> =>
    new Promise((resolve) => {
      stream.write('', () => resolve());
    });
  if (code !== 0) process.exitCode = code;
  await Promise.all([drained(process.stdout), drained(process.stderr)]);
  process.exit(); // failed output may have set another code
};
