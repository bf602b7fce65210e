import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type loadCore, onCore, serverCore } from './pinning.ts';

/** A process that the bench started. */
export interface Started {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Ends it at once and waits until it is gone. */
  stop(): Promise<void>;
}

/** Everything that runs. Nothing of it outlives the bench: `main.ts` stops it all, however the run ends. */
const running = new Set<ChildProcess>();

export interface StartOptions {
  readonly core?: typeof serverCore | typeof loadCore;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdio?: SpawnOptions['stdio'];
}

/** Starts a process on a core, by default the one of what is measured. Its environment is what is given here. */
export const start = (command: string, args: readonly string[], options: StartOptions = {}): Started => {
  const { core = serverCore, env = {}, stdio = ['ignore', 'ignore', 'inherit'] } = options;
  const [program, words] = onCore(core, command, args);
  const child = spawn(program, words, { stdio, env: { PATH: process.env['PATH'], ...env } });
  running.add(child);
  const gone = once(child, 'exit').finally(() => running.delete(child));
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} could not be started`);
  return {
    child,
    pid,
    async stop() {
      child.kill('SIGKILL');
      await gone;
    },
  };
};

/** How many run, as a mark for `stopSince`. */
export const mark = (): ReadonlySet<ChildProcess> => new Set(running);

/** Stops what was started since a mark. */
export const stopSince = async (before: ReadonlySet<ChildProcess>): Promise<void> => {
  const since = [...running].filter((child) => !before.has(child));
  for (const child of since) child.kill('SIGKILL');
  await Promise.all(since.map((child) => (child.exitCode ?? child.signalCode) !== null || once(child, 'exit')));
};

/** Ends everything at once, without waiting: for when the bench itself ends. */
export const killAll = (): void => {
  for (const child of running) child.kill('SIGKILL');
};
