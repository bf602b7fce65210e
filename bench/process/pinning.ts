import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** Measured processes run on one core; the load generator and Redis on another. */
export const serverCore = 0;
export const loadCore = 1;

/** True on Linux with `taskset` and at least two cores. */
export const isPinned: boolean =
  availableParallelism() > 1 &&
  spawnSync('taskset', ['-c', '1', 'true'], { stdio: 'ignore' }).status === 0;

/** Runs a command on a core, if that is possible. */
export const onCore = (
  core: number,
  command: string,
  args: readonly string[],
): [string, readonly string[]] =>
  isPinned ? ['taskset', ['-c', String(core), command, ...args]] : [command, args];

/** Keeps this process, with all its threads, on the core of the load generator. */
export const keepOffServerCore = (): void => {
  if (isPinned)
    spawnSync('taskset', ['-acp', String(loadCore), String(process.pid)], { stdio: 'ignore' });
};
