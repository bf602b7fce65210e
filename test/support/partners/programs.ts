import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { siteFolder } from '../../../src/runtime/folders.ts';
import { endWithTests } from '../child-process.ts';

/** How a program ended. */
export interface Outcome {
  /** `null` after a signal. */
  readonly code: number | null;
  readonly stdout: string;
  /** The lines on standard error. */
  readonly errors: readonly string[];
}

interface Place {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs TypeScript outside this project too. */
const tsx = createRequire(import.meta.url).resolve('tsx');

/** How a program is run, by the ending of its file. */
const interpreters: Readonly<Record<string, readonly string[]>> = {
  ts: [process.execPath, '--import', tsx],
  mts: [process.execPath, '--import', tsx],
  mjs: [process.execPath],
  py: ['python3', '-B'],
  sh: ['bash', '-euo', 'pipefail'],
};

const outcomeOf = (code: number | null, stdout: string, stderr: string): Outcome => ({
  ...{ code, stdout, errors: stderr.split('\n').filter((line) => line !== '') },
});

/** The environment of a program: its path and what is given. */
const environment = (env: Place['env']): Readonly<Record<string, string>> => ({
  ...{ PATH: process.env['PATH'] ?? '', ...env },
});

/** Starts a program in a process group of its own. */
export const startProgram = (
  file: string,
  parameters: readonly string[],
  { cwd, env, stdout = 'pipe' }: Place & { readonly stdout?: 'pipe' | number } = {},
) => {
  const [program = '', ...before] = interpreters[file.slice(file.lastIndexOf('.') + 1)] ?? [];
  const child = spawn(program, [...before, file, ...parameters], {
    ...{ cwd, env: environment(env), stdio: ['ignore', stdout, 'pipe'], detached: true },
  });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.on('data', (chunk) => {
      text[name] += chunk;
    });
  const signal = (name: NodeJS.Signals = 'SIGTERM'): void => {
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    if (!hasEnded && child.pid !== undefined) process.kill(-child.pid, name);
  };
  child.once(
    'exit',
    endWithTests(() => signal('SIGKILL')),
  );
  const ended = new Promise<Outcome>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(outcomeOf(code, text.stdout, text.stderr)));
  });
  return {
    child,
    /** What it has written. */
    text,
    /** Sends a signal to the program and to what it started. */
    signal,
    ended,
  };
};

/** Runs Python programs as forks of one process: a start costs 150 ms of processor time. */
const createForks = () => {
  const folder = mkdtempSync(join(tmpdir(), 'forks-'));
  const script = join(import.meta.dirname, 'fork-program.py');
  const child = spawn('python3', ['-B', script], { env: environment({}), detached: true });
  endWithTests(() => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  child.stderr.pipe(process.stderr);
  // Not ended by a hook: in a parallel run, one process runs several files and loads this once.
  for (const open of [child, child.stdin, child.stdout, child.stderr])
    if (open === child || open instanceof Socket) open.unref();
  const waiting = new Map<string, (code: number) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [at = '', code] = line.split(' ');
    waiting.get(at)?.(Number(code));
  });
  return async (
    file: string,
    args: readonly string[],
    { cwd = '.', env }: Place,
  ): Promise<Outcome> => {
    const at = join(folder, `${waiting.size}`);
    const job = { at, file, args, env: environment(env), cwd };
    child.stdin.write(`${JSON.stringify(job)}\n`);
    const code = await new Promise<number>((resolve) => waiting.set(at, resolve));
    const [stdout = '', stderr = ''] = ['out', 'err'].map((name) =>
      readFileSync(`${at}.${name}`, 'utf8'),
    );
    return outcomeOf(code < 0 ? null : code, stdout, stderr);
  };
};
let fork: ReturnType<typeof createForks> | undefined;

/**
 * Runs a program with nothing in its environment but its path and what is given. It gets a signal,
 * by default SIGTERM, once it has printed the text `until`.
 */
export const runProgramFile = async (
  file: string,
  parameters: readonly string[] = [],
  {
    until,
    signal,
    ...place
  }: Place & { readonly until?: string | undefined; readonly signal?: NodeJS.Signals } = {},
): Promise<Outcome> => {
  const ownsInterpreter = Object.keys(place.env ?? {}).some((name) => name.startsWith('PYTHON'));
  if (file.endsWith('.py') && until === undefined && !ownsInterpreter) {
    fork ??= createForks();
    return fork(file, parameters, place);
  }
  const program = startProgram(file, parameters, place);
  for (const name of ['stdout', 'stderr'] as const)
    program.child[name]?.on('data', () => {
      if (until !== undefined && program.text[name].includes(until)) program.signal(signal);
    });
  return program.ended;
};

/** The programs for partners. */
export const clientsFolder = join(siteFolder, 'docs', 'clients');

/** The client by the endings of its files: Python, with `EXAMPLE_RUNS=all` JavaScript too. */
export const clientKinds = process.env['EXAMPLE_RUNS'] === 'all' ? ['py', 'mjs'] : ['py'];

export const clientFile = (kind: string): string =>
  join(clientsFolder, kind === 'py' ? 'artist_api.py' : `artist-api.${kind}`);

/** Runs the client. `why` names the run in a failed assertion. */
export const runClient = async (
  kind: string,
  parameters: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd = '.',
) => {
  const outcome = await runProgramFile(clientFile(kind), parameters, { env, cwd });
  const why = `${kind} ${parameters[0]}: ${outcome.code} ${outcome.errors.join(' / ')}`;
  return { ...outcome, lines: outcome.stdout.split('\n').slice(0, -1), why };
};
