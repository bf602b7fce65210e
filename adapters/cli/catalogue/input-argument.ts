import { PathError } from '../../import/input-files.ts';
import { UnsafePath } from '../../stores/state/own-file.ts';
import { UsageError } from '../terminal/usage-error.ts';

/** The argument of commands that read input files. */
export const inputArgument = ['<path...>', 'folders and files: artists, history and labels, .json or .ndjson'] as const;

/** Settles as the work with a path does, which rejects with a `UsageError` for a path that cannot be used. */
export const orUsageError = async <Result>(work: Promise<Result>): Promise<Result> => {
  try {
    return await work;
  } catch (error) {
    throw error instanceof PathError || error instanceof UnsafePath
      ? new UsageError(error.message, { cause: error })
      : error;
  }
};
