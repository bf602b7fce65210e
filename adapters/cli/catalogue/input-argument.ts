import { type ImportInput, InputError, readInput } from '../../stores/import/input-files.ts';
import { UsageError } from '../terminal/usage-error.ts';

/** The argument of commands that read input files. */
export const inputArgument = ['<path...>', 'folders and files: artists, history and labels, .json or .ndjson'] as const;

/** Reads the input files that a command was given. Rejects with a `UsageError` for a path that names none. */
export const readInputArgument = async (paths: readonly string[]): Promise<ImportInput> => {
  try {
    return await readInput(paths);
  } catch (error) {
    if (error instanceof InputError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
};
