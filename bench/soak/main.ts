import { parseArgs } from 'node:util';
import { get } from '../answers.ts';
import { type Bench, openBench } from '../bench.ts';
import { makeKeys } from '../catalogue/keys.ts';
import { download } from '../load/connection.ts';
import { readOptions } from '../options.ts';
import type { Memory } from '../process/gateway.ts';
import { runProgram } from '../process/program.ts';
import { startFollowing } from '../rows/gateways.ts';
import { mixedRequests, seriesOf } from './load.ts';

/**
 * `npm run soak -- --minutes 15`: loads a gateway with lists, details, spikes and errors while artists and keys change, and
 * compares its memory by quarters. The exit code is 1 if it grows from the second quarter to the last.
 */
const artistCount = 2_000;
const changeEvery = 7; // 286 of 2,000 artists
const roundMs = 4_000;
const keysEach = 10;
const settings = { CATALOGUE_REFRESH_SECONDS: '3', KEYS_REFRESH_SECONDS: '1' };

/** Keys of one round. Each is used in the next round, and removed in the one after. */
const issueKeys = () => Array.from({ length: keysEach }, makeKeys);

const soak = async (bench: Bench, minutes: number): Promise<readonly Memory[]> => {
  const contents = { artists: artistCount, series: seriesOf };
  const { artists, database, gateway } = await startFollowing(bench, contents, settings);
  const readings: Memory[] = [];
  const timer = setInterval(() => gateway.memory().then((memory) => readings.push(memory)), 1_000);
  const end = performance.now() + minutes * 60_000;
  let [answers, failures, rounds] = [0, 0, 0];
  let issued = issueKeys();
  let known: typeof issued = [];
  while (performance.now() < end) {
    rounds += 1;
    database.replaceKeys([bench.keys, ...known, ...issued].flatMap(({ documents }) => documents));
    database.change(changeEvery);
    const requests = mixedRequests(bench, artists, known);
    const [sliced] = await Promise.allSettled([
      bench.generator.slice({ port: gateway.port, requests, connections: 8, ms: roundMs }),
      download(gateway.port, get('/api/v1/artists?include=history&limit=100', bench.keys.current)),
    ]);
    if (sliced.status === 'fulfilled') answers += sliced.value.answers;
    else {
      failures += 1;
      process.stderr.write(`${sliced.reason}\n`);
    }
    [known, issued] = [issued, issueKeys()];
    process.stderr.write(`round ${rounds}: ${answers} answers, ${JSON.stringify(readings.at(-1))} MiB\n`);
  }
  clearInterval(timer);
  process.stdout.write(
    `${minutes} minutes: ${answers} answers, ${rounds} rounds with changes of artists and keys, ${failures} failed\n`,
  );
  return readings;
};

/** What is watched, and the most MiB by which each may grow from the second quarter to the last. */
const members = [
  { name: 'heap', title: 'heap', maxGrowth: 6 },
  { name: 'outside', title: 'outside the heap', maxGrowth: 10 }, // buffers, and what else libraries hold for objects
  { name: 'rss', title: 'resident', maxGrowth: 15 },
] as const;

/** The least memory of each quarter of a run (garbage that is not collected yet only adds), and whether it levels off. */
const compareQuarters = (readings: readonly Memory[]) => {
  const length = Math.ceil(readings.length / 4);
  const quarters = [0, 1, 2, 3].map((quarter) => readings.slice(quarter * length, (quarter + 1) * length));
  const compared = members.map(({ name, title, maxGrowth }) => {
    const least = quarters.map((quarter) => Math.min(...quarter.map((memory) => memory[name])));
    const [, second = Number.NaN, , last = Number.NaN] = least;
    const figures = least.map((mebibytes) => mebibytes.toFixed(1)).join(', ');
    const growth = `${(last - second).toFixed(1)} MiB from quarter 2 to 4 (at most ${maxGrowth})`;
    return { line: `${title}: least of each quarter ${figures} MiB; ${growth}`, levelsOff: last - second <= maxGrowth };
  });
  return { lines: compared.map(({ line }) => line), levelsOff: compared.every(({ levelsOff }) => levelsOff) };
};

runProgram(async (folder) => {
  const { values } = parseArgs({ options: { minutes: { type: 'string', default: '15' } } });
  const readings = await soak(await openBench(readOptions([]), folder), Number(values.minutes));
  const { lines, levelsOff } = compareQuarters(readings);
  process.stdout.write(`${lines.join('\n')}\n${levelsOff ? 'levels off' : 'GROWS'}\n`);
  return levelsOff;
});
