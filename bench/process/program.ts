import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killAll } from './started.ts';

/** A folder of this run's own. It goes when the run ends, with all processes that were started, however it ends. */
export const openRunFolder = (prefix: string): string => {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  process.on('exit', () => {
    killAll();
    rmSync(folder, { recursive: true, force: true });
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));
  return folder;
};

/** Runs a program; a failure is one line and exit code 2. */
export const runProgram = (main: () => Promise<void>): void => {
  main().catch((failure: unknown) => {
    process.stderr.write(`${failure instanceof Error ? failure.message : String(failure)}\n`);
    process.exit(2);
  });
};
