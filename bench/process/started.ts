import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type loadCore, onCore, serverCore } from './pinning.ts';

/** A process that the bench started. */
export interface Started {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Ends it and waits until it is gone. */
  stop(): Promise<void>;
}

/** Everything that runs. Nothing of it outlives the bench: `main.ts` stops it all, however the run ends. */
const running = new Set<ChildProcess>();

/** How long an orderly end may take, in milliseconds: a gateway that is profiled writes what was seen. */
const patienceMs = 10_000;

const end = async (child: ChildProcess): Promise<void> => {
  if (!running.has(child)) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  await gone;
  clearTimeout(timer);
};

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
  child.once('exit', () => running.delete(child));
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} could not be started`);
  return { child, pid, stop: () => end(child) };
};

/** What runs now, to stop later what was started since. */
export const mark = (): ReadonlySet<ChildProcess> => new Set(running);

export const stopSince = async (before: ReadonlySet<ChildProcess>): Promise<void> => {
  await Promise.all([...running].filter((child) => !before.has(child)).map(end));
};

/** Ends everything at once, without waiting: for when the bench itself ends. */
export const killAll = (): void => {
  for (const child of running) child.kill('SIGKILL');
};
