import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Kills a process when the tests end, however they end. */
export const killWithTests = (child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): void => {
  const kill = (): void => void child.kill(signal);
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
};

/** Ends a process, also one that is stopped, and waits for its end. */
export const endProcess = async (child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
};
