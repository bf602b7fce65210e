import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepOffServerCore } from './pinning.ts';
import { killAll } from './started.ts';

/**
 * Runs a program with its own folder. Removes the folder and ends all processes in the end. The
 * exit code is 0 or 1; a failure prints one line and exits with 2.
 */
export const runProgram = (main: (folder: string) => Promise<boolean>): void => {
  const folder = mkdtempSync(join(tmpdir(), 'artist-gateway-bench-'));
  process.on('exit', () => {
    killAll();
    rmSync(folder, { recursive: true, force: true });
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => process.exit(130));
  keepOffServerCore();
  main(folder).then(
    (isGood) => process.exit(isGood ? 0 : 1),
    (failure: unknown) => {
      process.stderr.write(`${failure instanceof Error ? failure.message : String(failure)}\n`);
      process.exit(2);
    },
  );
};
