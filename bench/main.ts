import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ablationRow } from './ablation/row.ts';
import { type Bench, openBench } from './bench.ts';
import { describeMachine } from './machine.ts';
import { type Options, readOptions, usage } from './options.ts';
import { root } from './process/gateway.ts';
import { keepOffServerCore } from './process/pinning.ts';
import { openRunFolder, runProgram } from './process/program.ts';
import { mark, stopSince } from './process/started.ts';
import { report } from './report.ts';
import type { Line, Row } from './row.ts';
import { rows } from './rows.ts';

/** `npm run bench`: measures every row, prints the table and, when every row was measured, writes it to `results.md`. */
const resultsFile = fileURLToPath(new URL('../../results.md', import.meta.url));

const build = (): void => {
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('The gateway could not be built.');
};

const choose = ({ only, without }: Options): readonly Row[] => {
  if (without.length > 0) return [ablationRow(without)];
  const unknown = only.find((name) => !rows.some((row) => row.name === name));
  if (unknown !== undefined)
    throw new Error(`${unknown} is no row: there are ${rows.map(({ name }) => name).join(', ')}`);
  return only.length === 0 ? rows : rows.filter(({ name }) => only.includes(name));
};

/** A row that fails counts as a missed goal; the others are still measured. */
const measure = async (row: Row, bench: Bench): Promise<readonly Line[]> => {
  const before = mark();
  process.stderr.write(`${row.name} …\n`);
  try {
    return await row.measure(bench);
  } catch (failure) {
    process.stderr.write(`${failure instanceof Error ? failure.stack : String(failure)}\n`);
    return [{ what: row.name, figure: 'could not be measured', met: false, notes: [String(failure)] }];
  } finally {
    await stopSince(before);
  }
};

const run = async (options: Options, folder: string): Promise<boolean> => {
  const chosen = choose(options);
  build();
  keepOffServerCore();
  const bench = await openBench(options, folder);
  const lines: Line[] = [];
  for (const row of chosen) {
    const measured = await measure(row, bench);
    for (const { what, goal = '', figure } of measured) process.stderr.write(`  ${what}: ${figure} ${goal}\n`);
    lines.push(...measured);
  }
  const remarks = [
    `${new Date().toISOString()}, ${options.rounds} rounds of ${options.sliceMs} ms, 64 keep-alive connections on loopback`,
    'the gateway as it comes, with a longer STORE_TIMEOUT_MS; its log of requests is on and goes into a file',
    ...(options.quick ? ['a quick run with small catalogues: these are no figures to go by'] : []),
  ];
  const text = report(lines, describeMachine(), remarks);
  process.stdout.write(`${text}\n`);
  if (chosen === rows && !options.quick) writeFileSync(resultsFile, text);
  return lines.every(({ met }) => met !== false);
};

const main = async (): Promise<void> => {
  if (process.argv.includes('--help')) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  const folder = openRunFolder('artist-gateway-bench-');
  const allMet = await run(readOptions(process.argv.slice(2)), folder);
  process.exit(allMet ? 0 : 1);
};

runProgram(main);
