import { execFile } from 'node:child_process';

/**
 * Runs a program to its end, with a text as its standard input, and returns its standard output.
 * Rejects with both outputs when its exit code is not 0.
 */
export const runProgram = (
  program: string,
  args: readonly string[],
  cwd?: string,
  input = '',
): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = execFile(
      program,
      args,
      { cwd, maxBuffer: 64 * 1024 * 1024 },
      (failure, stdout, stderr) => {
        if (failure === null) resolve(stdout);
        else
          reject(
            new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`, {
              cause: failure,
            }),
          );
      },
    );
    child.stdin?.on('error', () => {}); // a program may end without reading its input
    child.stdin?.end(input);
  });
