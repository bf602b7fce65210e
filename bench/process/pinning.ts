import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** What is measured runs on one core; who measures, and Redis, on another. */
export const serverCore = 0;
export const loadCore = 1;

/** Whether processes are kept on their cores: Linux with `taskset`, and two cores at least. */
export const isPinned: boolean =
  availableParallelism() > 1 &&
  spawnSync('taskset', ['-c', '1', 'true'], { stdio: 'ignore' }).status === 0;

/** The command that runs another one on a core; the same command where that cannot be done. */
export const onCore = (
  core: number,
  command: string,
  args: readonly string[],
): [string, readonly string[]] =>
  isPinned ? ['taskset', ['-c', String(core), command, ...args]] : [command, args];

/**
 * Keeps this process, with all its threads, beside the load generator, away from what is measured.
 */
export const keepOffServerCore = (): void => {
  if (isPinned)
    spawnSync('taskset', ['-acp', String(loadCore), String(process.pid)], { stdio: 'ignore' });
};
