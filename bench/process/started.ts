import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onCore, serverCore } from './pinning.ts';

/**
 * Everything that runs. Nothing of it outlives the bench: `main.ts` stops it all, however the run
 * ends.
 */
const running = new Set<{ stop(): Promise<void>; kill?(): void }>();

/** Has something that runs in this process stopped with what was started beside it. */
export const stopWithRow = (stop: () => Promise<void>): void => void running.add({ stop });

/** How long an orderly end may take, in milliseconds. */
const timeoutMs = 10_000;

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  await gone;
  clearTimeout(timer);
};

interface StartOptions {
  readonly core?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdio?: SpawnOptions['stdio'];
}

/**
 * Starts a process on a core, by default the one of what is measured. Its environment is what is
 * given here.
 */
export const start = (command: string, args: readonly string[], options: StartOptions = {}) => {
  const { core = serverCore, env = {}, stdio = ['ignore', 'ignore', 'inherit'] } = options;
  const [program, words] = onCore(core, command, args);
  const child = spawn(program, words, { stdio, env: { PATH: process.env['PATH'], ...env } });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} could not be started`);
  const started = {
    child,
    pid,
    /** Ends it and waits until it is gone. */
    stop: () => end(child),
    kill: () => void child.kill('SIGKILL'),
  };
  running.add(started);
  child.once('exit', () => running.delete(started));
  return started;
};

/**
 * Starts a module of the bench, by its path in the bench, in a process of its own: a load
 * generator, a peer, a probe.
 */
export const startModule = (
  path: string,
  args: readonly string[] = [],
  options: Omit<StartOptions, 'stdio'> = {},
) => {
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url));
  const stdio: StartOptions['stdio'] = ['ignore', 'inherit', 'inherit', 'ipc'];
  const started = start(process.execPath, [file, ...args], { ...options, stdio });
  const { child } = started;
  return {
    ...started,
    send: (message: object | string): void => void child.send(message),
    /** The next message that it sends; rejects when it ends instead. */
    next: <Message>() =>
      new Promise<Message>((resolve, reject) => {
        const fail = () => reject(new Error(`${path} ended before it had said everything`));
        child.once('exit', fail).once('message', (message: Message) => {
          child.off('exit', fail);
          resolve(message);
        });
      }),
  };
};

/** Runs something, and stops in the end what it started. */
export const stoppingAll = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  const before = new Set(running);
  try {
    return await work();
  } finally {
    const since = [...running].filter((one) => !before.has(one));
    await Promise.all(since.map((one) => one.stop()));
    for (const one of since) running.delete(one);
  }
};

/** Ends everything at once, without waiting: for when the bench itself ends. */
export const killAll = (): void => {
  for (const one of running) one.kill?.();
};
