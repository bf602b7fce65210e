import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { type Bench, containerOptions, openBench } from './bench.ts';
import { describeMachine, nameMachine } from './machine.ts';
import { assertKnown, type Options, readOptions, usage } from './options.ts';
import { root } from './process/gateway.ts';
import { runProgram } from './process/program.ts';
import { stoppingAll } from './process/started.ts';
import { replaceSection, writeSection } from './report.ts';
import { type Line, line, often, type Row } from './row.ts';
import { comparedBy, compareVersions } from './rows/versions.ts';
import { onlyNamed, rows } from './rows.ts';
import { summarize } from './summary.ts';

/**
 * Measures every row and prints the table. Writes it into `results.md` if every row was measured
 * three times on a quiet machine.
 */
const resultsFile = join(root, 'bench', 'results.md');

/** Load average of a minute from which other work affects the figures. */
const maxLoad = 0.5;
const minRuns = 3;

const build = (): void => {
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('The gateway could not be built.');
};

/** What a run measures, by name. */
const choose = (options: Options): ReadonlyMap<string, Row> => {
  const { only, against } = options;
  assertKnown(only, against === undefined ? [...rows.keys()] : comparedBy);
  if (against !== undefined)
    return new Map([['compared', often((bench) => compareVersions(bench, against))]]);
  return new Map(
    [...rows].filter(([name]) => (only.length === 0 ? !onlyNamed.has(name) : only.includes(name))),
  );
};

/** The last three errors in the logs of gateways: a 503 has no cause. */
const loggedErrors = ({ folder }: Bench, since: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => name.startsWith('gateway-'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    .filter((text) => text.startsWith('{"level":"error"') && JSON.parse(text).time >= since)
    .slice(-3);

/** A row that fails counts as a missed goal. The other rows are still measured. */
const measure = async (name: string, row: Row, bench: Bench): Promise<readonly Line[]> => {
  const begin = performance.now();
  const since = new Date().toISOString();
  process.stderr.write(`${name} …\n`);
  try {
    const lines = await stoppingAll(() => row(bench));
    for (const { what, figure } of summarize(lines)) process.stderr.write(`  ${what}: ${figure}\n`);
    return lines;
  } catch (failure) {
    process.stderr.write(`${failure instanceof Error ? failure.stack : String(failure)}\n`);
    const notes = [String(failure), ...loggedErrors(bench, since)];
    return [line(name, Number.NaN, '', { atMost: 0 }, notes)];
  } finally {
    process.stderr.write(`  took ${Math.round((performance.now() - begin) / 1000)} s\n`);
  }
};

/** The reason not to write results.md; `undefined` if there is none. */
const refusal = ({ quick, runs }: Options, load: number): string | undefined => {
  if (quick) return 'a quick run has small catalogues';
  if (runs < minRuns) return `each row needs ${minRuns} runs`;
  if (load >= maxLoad) return `the load average was ${load.toFixed(2)}, not below ${maxLoad}`;
  return undefined;
};

const run = async (options: Options, folder: string): Promise<boolean> => {
  const machine = describeMachine();
  const [load = maxLoad] = loadavg();
  const isWhole = options.only.length === 0 && options.against === undefined;
  const refused = refusal(options, load);
  if (isWhole && refused !== undefined)
    process.stderr.write(`results.md will not be written: ${refused}\n`);
  const begin = new Date();
  const chosen = choose(options);
  build();
  const bench = await openBench(options, folder);
  const lines: Line[] = [];
  for (const [name, row] of chosen) lines.push(...(await measure(name, row, bench)));
  const summaries = summarize(lines);
  const minutes = Math.round((Date.now() - begin.getTime()) / 60_000);
  const remarks = [
    ...machine,
    `${begin.toISOString().slice(0, 16)}Z, ${minutes} min; rows with a range: the median of ${options.runs}`,
    `${options.rounds} rounds of ${options.sliceMs} ms after ${options.warmUpMs} ms, 64 keep-alive connections on loopback`,
    'MongoDB: stood in for by a server that answers out of memory, over the real driver',
    `gateways: ${containerOptions} --initial-old-space-size=160, and MALLOC_ARENA_MAX=1, as the guide sets them for one core and 512 MiB; where growth is measured without the first three`,
    ...(options.quick ? ['a quick run with small catalogues: these are no figures to go by'] : []),
  ];
  const section = writeSection(nameMachine(), remarks, summaries);
  process.stdout.write(`${section}\n`);
  if (isWhole && refused === undefined)
    writeFileSync(resultsFile, replaceSection(readFileSync(resultsFile, 'utf8'), section));
  return summaries.every(({ verdict }) => verdict !== 'NOT MET');
};

runProgram(async (folder) => {
  if (!process.argv.includes('--help')) return run(readOptions(process.argv.slice(2)), folder);
  process.stdout.write(`${usage}\n`);
  return true;
});
