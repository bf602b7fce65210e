import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepOffServerCore } from './pinning.ts';
import { killAll } from './started.ts';

/**
 * Runs a program beside the load generator, with a folder of this run's own. In the end the folder
 * goes, with all processes that were started, however it ends. The exit code is 0 or 1, as the
 * program says; a failure is one line and exit code 2.
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
