import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough, type Readable } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { endWithTests, killWithTests } from '../child-process.ts';

/** Runs TypeScript anywhere, also outside this project. */
const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

/** How a program is run, by the ending of its file. */
export const interpreters: Readonly<Record<string, readonly string[]>> = {
  ts: [process.execPath, '--import', tsx],
  mts: [process.execPath, '--import', tsx],
  mjs: [process.execPath],
  py: ['python3', '-B'],
  sh: ['bash', '-euo', 'pipefail'],
  php: ['php'],
  go: ['go', 'run'],
};

/** A program that runs, in a group of its own. */
export interface StartedProgram {
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Sends a signal to the program, if it has not ended, and to what it started. */
  signal(name?: NodeJS.Signals): void;
  /** Resolves with the exit code, or `null` after a signal, when both outputs have ended too. */
  readonly ended: Promise<number | null>;
}

export interface ProgramPlace {
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

const launch = (
  file: string,
  parameters: readonly string[],
  place: ProgramPlace,
): StartedProgram => {
  const [program = '', ...before] = interpreters[file.slice(file.lastIndexOf('.') + 1)] ?? [];
  const child = spawn(program, [...before, file, ...parameters], {
    ...place,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  killWithTests(child);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const { stdout, stderr } = child;
  const signal = (name?: NodeJS.Signals): void => {
    const isAlive = child.exitCode === null && child.signalCode === null;
    if (isAlive && child.pid !== undefined) process.kill(-child.pid, name);
  };
  return { stdout, stderr, ended, signal };
};

/** What the first connection to a Unix socket sends. */
const acceptOne = async (path: string): Promise<Readable> => {
  const received = new PassThrough();
  const server = createServer((socket) => {
    server.close();
    socket.on('error', () => received.end()).pipe(received);
  });
  await once(server.listen(path), 'listening');
  return received;
};

/**
 * Starts programs in Python as forks of one process (`fork-program.py`): to start an interpreter
 * and to import the standard library takes 100 ms of processor time.
 */
const createForks = () => {
  const folder = mkdtempSync(join(tmpdir(), 'forks-'));
  const script = fileURLToPath(new URL('fork-program.py', import.meta.url));
  const child = spawn('python3', ['-B', script], {
    env: { PATH: process.env['PATH'] },
    stdio: 'pipe', // as a program has: Python asks whether it can seek in an output
  });
  killWithTests(child);
  endWithTests(() => rmSync(folder, { recursive: true, force: true }));
  child.stderr.pipe(process.stderr);
  for (const open of [child, child.stdin, child.stdout, child.stderr])
    if (open === child || open instanceof Socket) open.unref();
  let runs = 0;
  return async (
    file: string,
    args: readonly string[],
    { cwd = process.cwd(), env }: ProgramPlace,
  ): Promise<StartedProgram> => {
    runs += 1;
    const at = join(folder, String(runs));
    const [stdout, stderr] = [await acceptOne(`${at}.stdout`), await acceptOne(`${at}.stderr`)];
    // An iterator keeps lines that arrive together.
    const lines = createInterface({ input: await acceptOne(`${at}.exit`) })[Symbol.asyncIterator]();
    child.stdin.write(`${JSON.stringify({ at, file, args, env, cwd })}\n`);
    const { value: pid } = await lines.next();
    let isAlive = true;
    const signal = (name?: NodeJS.Signals): void => {
      if (isAlive) process.kill(-Number(pid), name);
    };
    const forget = endWithTests(() => signal('SIGKILL'));
    const exited = lines.next().then(({ value: code }) => {
      isAlive = false;
      forget();
      return Number(code) < 0 ? null : Number(code);
    });
    const ended = Promise.all([exited, once(stdout, 'end'), once(stderr, 'end')]);
    return { stdout, stderr, signal, ended: ended.then(([code]) => code) };
  };
};

let fork: ReturnType<typeof createForks> | undefined;

/**
 * Starts a program with nothing in its environment but its path and what is given. Variables of
 * Python itself need an interpreter of their own.
 */
export const startProgram = async (
  file: string,
  parameters: readonly string[],
  { cwd, env }: ProgramPlace,
): Promise<StartedProgram> => {
  const place = { cwd, env: { PATH: process.env['PATH'] ?? '', ...env } };
  const isForked =
    file.endsWith('.py') && !Object.keys(place.env).some((name) => /^PYTHON/.test(name));
  if (!isForked) return launch(file, parameters, place);
  fork ??= createForks();
  return fork(file, parameters, place);
};
