import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { z } from 'zod';
import { type CommandResult, command, run, type Settings } from './run.ts';

/** Runs the built command again and again: see its comment. */
export const repeater = fileURLToPath(new URL('repeat-command.mjs', import.meta.url));
const answer = z.object({ code: z.number(), left: z.array(z.string()) });

/** The built command in a process that stays, where a run of the command takes about 30 ms of CPU time instead of 400 ms. */
export interface WarmCommand {
  /**
   * Runs it as `run` does, one after the other; those for which it matters, with `--verbose` or `NODE_OPTIONS`, in a process of
   * their own. Rejects when a command leaves open what would keep a process of its own from ending. Not for signals and terminals.
   */
  run(settings: Settings, args: readonly string[]): Promise<CommandResult>;
  stop(): Promise<void>;
}

/** Collects what a stream writes before the mark. */
const textBefore = (stream: Readable, mark: string): Promise<string> =>
  new Promise((resolve) => {
    let text = '';
    const receive = (chunk: string): void => {
      text += chunk;
      if (!text.endsWith(mark)) return;
      stream.off('data', receive);
      resolve(text.slice(0, -mark.length));
    };
    stream.setEncoding('utf8').on('data', receive);
  });

/** A process that runs the command, and its outputs. */
const startProcess = () => {
  const child = fork(repeater, [pathToFileURL(command).href], {
    env: {},
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const end = (): boolean => child.kill('SIGKILL');
  process.once('exit', end);
  const ended = once(child, 'exit').then(() => void process.off('exit', end));
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('The command has no outputs.');
  return { child, stdout, stderr, end, ended };
};

export const createWarmCommand = (): WarmCommand => {
  const mark = '\u0000end\u0000';
  let started: ReturnType<typeof startProcess> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const runNow = async (settings: Settings, args: readonly string[]): Promise<CommandResult> => {
    started ??= startProcess();
    const { child, stdout, stderr, ended } = started;
    const result = Promise.all([textBefore(stdout, mark), textBefore(stderr, mark), once(child, 'message')]);
    child.send({ args, env: { PATH: process.env['PATH'], ...settings }, mark });
    const [out, err, [message]] = await Promise.race([
      result,
      ended.then(() => Promise.reject(new Error(`${args.join(' ')} ended the process.`))),
    ]);
    const { code, left } = answer.parse(message);
    if (left.length > 0) throw new Error(`${args.join(' ')} leaves open: ${left.join(', ')}`);
    return { code, stdout: out, stderr: err };
  };
  return {
    run(settings, args) {
      if (args.includes('--verbose') || 'NODE_OPTIONS' in settings) return run(settings, args);
      const result = last.then(() => runNow(settings, args));
      last = result.catch(() => {});
      return result;
    },
    async stop() {
      started?.end();
      await started?.ended;
    },
  };
};
