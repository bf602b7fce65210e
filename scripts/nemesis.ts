import { runNemesis } from '../test/support/nemesis/run-nemesis.ts';
import { summarize } from '../test/support/nemesis/summary.ts';
import type { TopologyName } from '../test/support/nemesis/world.ts';

/**
 * Runs the nemesis test of the quotas for NEMESIS_SECONDS (300) on each topology, or on NEMESIS_TOPOLOGY (single, sentinel or
 * cluster), with NEMESIS_SEED, which is printed. The exit code is 1 if a promise was broken. Build the gateway first.
 */
const { NEMESIS_SECONDS = '300', NEMESIS_SEED, NEMESIS_TOPOLOGY } = process.env;
const seed = Number(NEMESIS_SEED ?? Math.floor(Math.random() * 1_000_000));
const all: readonly TopologyName[] = ['single', 'sentinel', 'cluster'];
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const awake = setInterval(() => {}, 1_000); // the servers of the tests keep no process alive, not even while they end
for (const topology of all.filter((name) => NEMESIS_TOPOLOGY === undefined || name === NEMESIS_TOPOLOGY)) {
  say(
    `${topology}: NEMESIS_TOPOLOGY=${topology} NEMESIS_SEED=${seed} NEMESIS_SECONDS=${NEMESIS_SECONDS} npm run nemesis`,
  );
  const result = await runNemesis({ topology, seconds: Number(NEMESIS_SECONDS), seed, say });
  for (const line of summarize(result)) say(`  ${line}`);
  if (result.verdict.findings.length > 0) process.exitCode = 1;
}
clearInterval(awake);
