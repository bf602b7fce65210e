import { type ChildProcess, execFile } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';

const endings = new Set<() => void>();
process.once('exit', () => {
  for (const end of endings) end();
});

/**
 * Calls a function when the tests end, however they end, until what it returns is called. There is
 * one listener for all: Node.js warns of a leak when many programs run at once.
 */
export const endWithTests = (end: () => void): (() => void) => {
  endings.add(end);
  return () => endings.delete(end);
};

/** Kills a process when the tests end, however they end. */
export const killWithTests = (child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): void => {
  child.once(
    'exit',
    endWithTests(() => child.kill(signal)),
  );
};

/** Launches a process that a test may kill, pause and restart; `folder` is removed at its end. */
export const startRestartable = async <Changed>(
  folder: string,
  launch: (changed?: Changed) => Promise<ChildProcess>,
) => {
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  let child = await launch().catch((failure: unknown) =>
    remove().then(() => Promise.reject(failure)),
  );
  const kill = (): Promise<void> => endProcess(child);
  return {
    /** Kills it with SIGKILL, like a crash. */
    kill,
    /** Stops it with SIGSTOP: connections stay open and get no answer. */
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    /** Kills it if it runs, and starts it again. */
    async restart(changed?: Changed): Promise<void> {
      await kill();
      child = await launch(changed);
    },
    /** Kills it and removes its files. */
    stop: () => kill().then(remove),
  };
};

/** Ends a process, even a stopped one, and waits for its end. */
export const endProcess = async (
  child: ChildProcess,
  signal: NodeJS.Signals = 'SIGKILL',
): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
};

/** The command lines of all processes, which every user of the machine can read. */
export const readCommandLines = async (): Promise<string> => {
  const { stdout } = await promisify(execFile)('ps', ['-Aww', '-o', 'args=']);
  return stdout;
};
