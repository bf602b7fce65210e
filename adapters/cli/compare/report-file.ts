import { rm } from 'node:fs/promises';
import { beginOwnFile, type OwnFile } from '../../stores/state/own-file.ts';
import { UsageError } from '../terminal/usage-error.ts';

/** Settles as work that writes a file does, which rejects with a `UsageError` where it cannot. */
export const orUnwritable = async <Result>(path: string, work: Promise<Result>): Promise<Result> => {
  try {
    return await work;
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause)) throw cause;
    throw new UsageError(`${path} cannot be written (${cause.code}).`, { cause });
  }
};

/** Begins a report's file before anything is asked, and removes a former one: it must not pass for the report of this run. */
export const beginReport = (path: string): Promise<OwnFile> =>
  orUnwritable(
    path,
    beginOwnFile(path).then(async (file) => {
      await rm(path, { force: true });
      return file;
    }),
  );
