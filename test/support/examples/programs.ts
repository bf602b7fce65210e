import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { clientsFolder } from '../../../src/runtime/config.ts';
import { killWithTests } from '../child-process.ts';

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
};

/** How a program ended. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  /** The lines that it wrote to stderr. */
  readonly errors: readonly string[];
}

interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The program is ended, with all that it started, once it has printed this. */
  readonly until?: string;
}

/** Runs a program with nothing in its environment but its path and what is given. */
export const runProgramFile = (
  file: string,
  parameters: readonly string[] = [],
  { cwd, env, until }: RunOptions = {},
): Promise<Outcome> => {
  const [program = '', ...before] = interpreters[file.slice(file.lastIndexOf('.') + 1)] ?? [];
  const child = spawn(program, [...before, file, ...parameters], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a group of its own, so that what it started ends with it
  });
  killWithTests(child);
  let [stdout, stderr] = ['', ''];
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
    if (until !== undefined && stdout.includes(until) && child.pid !== undefined)
      process.kill(-child.pid);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      resolve({ code, stdout, errors: stderr.split('\n').filter((line) => line !== '') }),
    );
  });
};

/**
 * The client by the endings of its files. The one in TypeScript runs as JavaScript, which has the
 * same code.
 */
export const clientKinds = ['py', 'mjs'] as const;

export const clientFile = (kind: string): string =>
  join(clientsFolder, kind === 'py' ? 'artist_api.py' : `artist-api.${kind}`);

/**
 * Runs the client, by default with a key that nobody issued. `why` says of a failed assertion which
 * it was.
 */
export const runClient = async (
  kind: string,
  parameters: readonly string[],
  env: Readonly<Record<string, string>> = { ARTIST_API_KEY: 'aik_x' },
) => {
  const outcome = await runProgramFile(clientFile(kind), parameters, { env });
  const lines = outcome.stdout.split('\n').slice(0, -1);
  return { ...outcome, lines, why: `${kind}: ${outcome.errors.join(' / ')}` };
};

/**
 * One of several runs, another for each index: the share of an everyday run. `EXAMPLE_RUNS=all`
 * takes all of them.
 */
export const shareOf = <Run>(runs: readonly Run[], index: number): readonly Run[] =>
  process.env['EXAMPLE_RUNS'] === 'all'
    ? runs
    : runs.filter((_, place) => place === index % runs.length);
