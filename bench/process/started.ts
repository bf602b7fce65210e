import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onCore, serverCore } from './pinning.ts';

/** All running processes. `main.ts` stops them at the end of the bench. */
const running = new Set<{ stop(): Promise<void>; kill?(): void }>();

/** Registers a resource of this process to be stopped at the end. */
export const stopWithRow = (stop: () => Promise<void>): void => void running.add({ stop });

/** Milliseconds until a process is killed. */
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

/** Starts a process with this environment, by default on the core of measured processes. */
export const start = (command: string, args: readonly string[], options: StartOptions = {}) => {
  const { core = serverCore, env = {}, stdio = ['ignore', 'ignore', 'inherit'] } = options;
  const [program, words] = onCore(core, command, args);
  const child = spawn(program, words, { stdio, env: { PATH: process.env['PATH'], ...env } });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} could not be started`);
  const started = {
    child,
    pid,
    /** Ends it and waits for its exit. */
    stop: () => end(child),
    kill: () => void child.kill('SIGKILL'),
  };
  running.add(started);
  child.once('exit', () => running.delete(started));
  return started;
};

/** Starts a module of the bench in its own process, by its path in the bench. */
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
    /** Resolves to the next message. Rejects if the process ends instead. */
    next: <Message>() =>
      new Promise<Message>((resolve, reject) => {
        const fail = () => reject(new Error(`${path} ended before its last message`));
        child.once('exit', fail).once('message', (message: Message) => {
          child.off('exit', fail);
          resolve(message);
        });
      }),
  };
};

/** Stops what `run` started. */
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

/** Kills everything without waiting, when the bench ends. */
export const killAll = (): void => {
  for (const one of running) one.kill?.();
};
