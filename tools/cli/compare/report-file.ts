import { rm } from 'node:fs/promises';
import { beginOwnFile, orUnwritable, writeOwnFile } from '../../../adapters/files/own-file.ts';

/** Rejects with a `PathError` where a file cannot be written; a previous one stays as it is. */
export const checkWritable = async (path: string): Promise<void> => {
  const { discard } = await orUnwritable(path, beginOwnFile(path));
  await discard();
};

/**
 * Removes a previous report, which must not pass for that of this run, where the report can be
 * written when the run ends.
 */
export const removeReport = async (path: string): Promise<void> => {
  await checkWritable(path);
  await rm(path, { force: true });
};

export const writeReport = (path: string, text: string): Promise<void> =>
  orUnwritable(path, writeOwnFile(path, [text]));
