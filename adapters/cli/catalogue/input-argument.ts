import { findInput, InputError, type InputFile } from '../../import/input-files.ts';
import { UsageError } from '../terminal/usage-error.ts';

/** The argument of commands that read input files. */
export const inputArgument = ['<path...>', 'folders and files: artists, history and labels, .json or .ndjson'] as const;

/** Works with the input files that a command was given. An `InputError` rejects as a `UsageError`. */
export const withInput = async <Result>(
  paths: readonly string[],
  work: (files: readonly InputFile[]) => Promise<Result>,
): Promise<Result> => {
  try {
    return await work(await findInput(paths));
  } catch (error) {
    if (error instanceof InputError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
};
