import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Bench, openBench } from './bench.ts';
import { root } from './built.ts';
import { describeMachine, nameMachine } from './machine.ts';
import { assertKnown, type Options, readOptions, usage } from './options.ts';
import { keepOffServerCore } from './process/pinning.ts';
import { runProgram } from './process/program.ts';
import { stoppingAll } from './process/started.ts';
import { replaceSection, writeSection } from './report.ts';
import type { Line, Row } from './row.ts';
import { againstPackage, withoutCaches } from './rows/versions.ts';
import { rows } from './rows.ts';
import { summarize } from './summary.ts';
import { listCaches } from './without/caches.ts';

/** `npm run bench`: measures every row, prints the table and, when every row was measured, puts it into `results.md`. */
const resultsFile = fileURLToPath(new URL('../../results.md', import.meta.url));

const build = (): void => {
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('The gateway could not be built.');
};

/** What a run measures, by name, once the gateway is built. */
const choose = ({ only, skip, without, against }: Options): ReadonlyMap<string, Row> => {
  if (without.length > 0) {
    const caches = listCaches();
    assertKnown(without, [...new Set(caches.flatMap((cache) => [cache, cache.split('/')[0] ?? '']))]);
    return new Map([['without', withoutCaches(without)]]);
  }
  if (against !== undefined) {
    const folder = resolve(process.env['INIT_CWD'] ?? '', against); // npm starts this in bench
    if (!existsSync(join(folder, 'dist'))) throw new Error(`${folder} has no built gateway: npm ci`);
    return new Map([['against', againstPackage(folder)]]);
  }
  assertKnown([...only, ...skip], [...rows.keys()]);
  return new Map([...rows].filter(([name]) => (only.length === 0 || only.includes(name)) && !skip.includes(name)));
};

/** A row that fails counts as a missed goal; the others are still measured. */
const measure = async (name: string, row: Row, bench: Bench): Promise<readonly Line[]> => {
  const begin = performance.now();
  process.stderr.write(`${name} …\n`);
  try {
    const lines = await stoppingAll(() => row(bench));
    for (const { what, figure } of summarize([lines])) process.stderr.write(`  ${what}: ${figure}\n`);
    return lines;
  } catch (failure) {
    process.stderr.write(`${failure instanceof Error ? failure.stack : String(failure)}\n`);
    return [{ what: name, figure: 'could not be measured', met: false, notes: [String(failure)] }];
  } finally {
    process.stderr.write(`  took ${Math.round((performance.now() - begin) / 1000)} s\n`);
  }
};

const measureRuns = async (chosen: ReadonlyMap<string, Row>, bench: Bench): Promise<Line[][]> => {
  const runs: Line[][] = [];
  for (let run = 1; run <= bench.options.runs; run++) {
    process.stderr.write(`run ${run} of ${bench.options.runs}\n`);
    const lines: Line[] = [];
    for (const [name, row] of chosen) lines.push(...(await measure(name, row, bench)));
    runs.push(lines);
  }
  return runs;
};

const run = async (options: Options, folder: string): Promise<boolean> => {
  const machine = describeMachine();
  const begin = new Date();
  build();
  const chosen = choose(options);
  keepOffServerCore();
  const summaries = summarize(await measureRuns(chosen, await openBench(options, folder)));
  const minutes = Math.round((Date.now() - begin.getTime()) / 60_000);
  const remarks = [
    ...machine,
    `${begin.toISOString().slice(0, 16)}Z, ${options.runs} run${options.runs === 1 ? '' : 's'}, ${minutes} min`,
    `${options.rounds} rounds of ${options.sliceMs} ms after ${options.warmUpMs} ms, 64 keep-alive connections on loopback`,
    options.mongodb === undefined
      ? 'MongoDB: stood in for by a server that answers out of memory, over the real driver'
      : 'MongoDB: a real server',
    ...(options.skip.length === 0 ? [] : [`not measured: ${options.skip.join(', ')}`]),
    ...(options.quick ? ['a quick run with small catalogues: these are no figures to go by'] : []),
  ];
  const section = writeSection(nameMachine(), remarks, summaries);
  process.stdout.write(`${section}\n`);
  const isWhole = options.only.length === 0 && options.without.length === 0 && options.against === undefined;
  if (isWhole && !options.quick) writeFileSync(resultsFile, replaceSection(readFileSync(resultsFile, 'utf8'), section));
  return summaries.every(({ met }) => met !== false);
};

/** Names that `--only` and `--without` take. */
const list = (): string => {
  build();
  const caches = listCaches().map((cache) => `  ${cache}`);
  return ['Rows:', ...[...rows.keys()].map((name) => `  ${name}`), '', 'Caches for --without:', ...caches].join('\n');
};

runProgram(async (folder) => {
  const text = process.argv.includes('--help') ? usage : process.argv.includes('--list') ? list() : undefined;
  if (text === undefined) return run(readOptions(process.argv.slice(2)), folder);
  process.stdout.write(`${text}\n`);
  return true;
});
