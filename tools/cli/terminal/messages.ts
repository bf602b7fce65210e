import { fstatSync, statSync } from 'node:fs';
import { devNull } from 'node:os';
import { withoutSecrets } from '../../../adapters/process/standard-error.ts';
import { plainText, withVisibleMarks } from '../../../adapters/text/plain-text.ts';

export const noteLines = (text: string): void => {
  process.stderr.write(`${withoutSecrets(text)}\n`);
};

/** Writes a line to standard error; standard output holds only the result. */
export const note = (text: string): void => noteLines(withVisibleMarks(plainText(text)));

/**
 * Writes to standard output. Rejects when not all of it was taken: the reader has gone, or the disk
 * is full.
 */
export const writeOut = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(text, (error: NodeJS.ErrnoException | null | undefined) => {
      if (!error) return resolve();
      const { code, message } = error;
      const why = code === 'EPIPE' ? 'was closed' : `cannot be written (${code ?? message})`;
      // Without its cause: a store is blamed for the code of a connection that was lost.
      reject(new Error(`Standard output ${why}.`));
    });
  });

/**
 * True if standard output is /dev/null. Node opens /dev/null when standard output is closed.
 */
export const isOutputDiscarded = (): boolean => {
  const output = fstatSync(process.stdout.fd);
  return output.isCharacterDevice() && output.rdev === statSync(devNull).rdev;
};

export class UsageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UsageError';
  }
}
