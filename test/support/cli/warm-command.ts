import { openSync } from 'node:fs';
import { Writable } from 'node:stream';
import { runCommand } from '../../../tools/cli/main.ts';
import { type CommandResult, run, type Settings } from './run.ts';

/** Thrown in place of ending the process. */
class Exit extends Error {}

/** The descriptor of an output that is neither a file nor the null device: a folder. */
const fd = openSync('.', 'r');

const createOutput = () => {
  let text = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  return Object.assign(stream, { fd, text: () => text });
};

const runNow = async (settings: Settings, args: readonly string[]): Promise<CommandResult> => {
  const [stdout, stderr] = [createOutput(), createOutput()];
  const exit = (code?: number): never => {
    process.exitCode = code ?? process.exitCode;
    throw new Exit();
  };
  const env = { PATH: process.env['PATH'], ...settings };
  const replaced = { stdout, stderr, stdin: { isTTY: false }, env, exit };
  const names = Object.keys(replaced);
  const before = names.map((name) => Object.getOwnPropertyDescriptor(process, name) ?? {});
  const { exitCode } = process;
  process.exitCode = undefined;
  for (const [name, value] of Object.entries(replaced))
    Object.defineProperty(process, name, { value, configurable: true, writable: true });
  try {
    await runCommand(args);
  } catch (thrown) {
    if (!(thrown instanceof Exit)) throw thrown;
  } finally {
    for (const [index, name] of names.entries())
      Object.defineProperty(process, name, before[index] ?? {});
  }
  const code = Number(process.exitCode ?? 0);
  process.exitCode = exitCode;
  return { code, stdout: stdout.text(), stderr: stderr.text() };
};

const createQueue = () => {
  let last: Promise<unknown> = Promise.resolve();
  return (settings: Settings, args: readonly string[]): Promise<CommandResult> => {
    if ('NODE_OPTIONS' in settings) return run(settings, args);
    const result = last.then(() => runNow(settings, args));
    last = result.catch(() => {});
    return result;
  };
};

/**
 * Runs a command as `run` does, in this process, one after the other. Not for signals, terminals and
 * lost output. A run with `NODE_OPTIONS` has a process of its own.
 */
export const runWarm = createQueue();
