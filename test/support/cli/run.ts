import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, openSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../../tools/cli/main.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const built = join(root, 'dist/tools/cli/artist-gateway.js');

/** The first source file that is newer than the build. */
const newerSource = (): string | undefined => {
  const builtAt = statSync(built).mtimeMs;
  return ['src', 'adapters', 'tools']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
        join(folder, file),
      ),
    )
    .find((file) => file.endsWith('.ts') && statSync(join(root, file)).mtimeMs > builtAt);
};
let isChecked = false;

/** The built command. Throws if it is missing or older than its sources. */
export const builtCommand = (): string => {
  const stale = existsSync(built) && !isChecked ? newerSource() : undefined;
  if (stale !== undefined) throw new Error(`${stale} is newer than dist: run "npm run build".`);
  isChecked = existsSync(built);
  if (isChecked) return built;
  throw new Error('The built command is missing: run "npm run build" first.');
};

/** Exit code and output of a command. */
export interface CommandResult {
  /** `undefined` when it was killed. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Environment variables of a command. It inherits only `PATH`. */
export type Settings = Readonly<Record<string, string>>;

interface Watch {
  /** Another program than the built command. */
  readonly program?: string;
  /** Called with each chunk of standard error. */
  readonly onStderr?: (text: string, child: ChildProcess) => void;
}

/**
 * Runs the built command in a process of its own, with its output in pipes. Run `npm run build`
 * first.
 */
export const run = (
  settings: Settings,
  args: readonly string[],
  { onStderr, program = builtCommand() }: Watch = {},
): Promise<CommandResult> =>
  new Promise((resolve, reject) => {
    const env = { PATH: process.env['PATH'], ...settings };
    const child = spawn(process.execPath, [program, ...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output.stderr += text;
      onStderr?.(text, child);
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? undefined, ...output }));
  });

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
  if ('NODE_OPTIONS' in settings) throw new Error('NODE_OPTIONS need a process: use run.');
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

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command as `run` does, in this process, one after the other. Not for signals, terminals,
 * lost output and NODE_OPTIONS.
 */
export const runWarm = (settings: Settings, args: readonly string[]): Promise<CommandResult> => {
  const result = last.then(() => runNow(settings, args));
  last = result.catch(() => {});
  return result;
};
