import { rm } from 'node:fs/promises';
import { beginOwnFile, writeOwnFile } from '../../../adapters/files/own-file.ts';
import { UsageError } from '../terminal/messages.ts';

/** Settles as work that writes a file does, which rejects with a `UsageError` where it cannot. */
export const orUnwritable = async <Result>(
  path: string,
  work: Promise<Result>,
): Promise<Result> => {
  try {
    return await work;
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause)) throw cause;
    throw new UsageError(`${path} cannot be written (${cause.code}).`, { cause });
  }
};

/** Rejects with a `UsageError` where a file cannot be written; a former one stays as it is. */
export const checkWritable = async (path: string): Promise<void> => {
  const { discard } = await orUnwritable(path, beginOwnFile(path));
  await discard();
};

/**
 * Removes a former report, which must not pass for that of this run, where the report can be
 * written when the run ends.
 */
export const removeReport = async (path: string): Promise<void> => {
  await checkWritable(path);
  await rm(path, { force: true });
};

/** Writes a file of a comparison, in place of a former one. */
export const writeReport = (path: string, text: string): Promise<void> =>
  orUnwritable(path, writeOwnFile(path, [text]));
