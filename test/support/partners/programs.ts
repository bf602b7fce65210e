import { join } from 'node:path';
import { clientsFolder } from '../../../src/runtime/config.ts';
import { type ProgramPlace, startProgram } from './start-program.ts';

/** How a program ended. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  /** The lines that it wrote to stderr. */
  readonly errors: readonly string[];
}

interface RunOptions extends ProgramPlace {
  /** The program is ended, with all that it started, once it has printed this. */
  readonly until?: string;
}

const linesIn = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');

/** Runs a program with nothing in its environment but its path and what is given. */
export const runProgramFile = async (
  file: string,
  parameters: readonly string[] = [],
  { until, ...place }: RunOptions = {},
): Promise<Outcome> => {
  const program = await startProgram(file, parameters, place);
  let [stdout, stderr] = ['', ''];
  program.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  program.stdout.on('data', (chunk) => {
    stdout += chunk;
    if (until !== undefined && stdout.includes(until)) program.signal();
  });
  const code = await program.ended;
  return { code, stdout, errors: linesIn(stderr) };
};

/**
 * The client by the endings of its files: every day in Python, with `EXAMPLE_RUNS=all` in JavaScript
 * too.
 */
export const clientKinds = process.env['EXAMPLE_RUNS'] === 'all' ? ['py', 'mjs'] : ['py'];

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
