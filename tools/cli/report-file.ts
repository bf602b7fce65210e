import { rm } from 'node:fs/promises';
import { beginOwnFile, orUnwritable, writeOwnFile } from '../../adapters/files/own-file.ts';

/** Rejects with a `PathError` where a file cannot be written; a previous one stays as it is. */
export const checkWritable = async (path: string): Promise<void> => {
  const { discard } = await orUnwritable(path, beginOwnFile(path));
  await discard();
};

/**
 * Removes the report of a previous run, so that it is not mistaken for this run's. Rejects if the
 * file cannot be written.
 */
export const removeReport = async (path: string): Promise<void> => {
  await checkWritable(path);
  await rm(path, { force: true });
};

export const writeReport = (path: string, text: string): Promise<void> =>
  orUnwritable(path, writeOwnFile(path, [text]));
