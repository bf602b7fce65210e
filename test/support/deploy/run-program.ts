import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Runs a program to its end and returns its standard output. Rejects with both outputs when its exit code is not 0. */
export const runProgram = async (program: string, args: readonly string[], cwd?: string): Promise<string> => {
  const { stdout } = await execute(program, args, { cwd, maxBuffer: 64 * 1024 * 1024 }).catch((failure: unknown) => {
    const { stdout = '', stderr = '' } =
      failure instanceof Error ? (failure as { stdout?: string; stderr?: string }) : {}; // execFile adds both to its error
    throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: failure });
  });
  return stdout;
};
