import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bearer } from '../answers.ts';
import { type Bench, openBench } from '../bench.ts';
import { root } from '../built.ts';
import { generateArtists } from '../catalogue/artists.ts';
import { download } from '../load/connection.ts';
import { openDatabase } from '../mongodb/database.ts';
import { readOptions } from '../options.ts';
import { keepOffServerCore } from '../process/pinning.ts';
import { runProgram } from '../process/program.ts';
import { issueKeys, mixedRequests, seriesOf } from './load.ts';
import { compareQuarters, type Memory, readMemory } from './quarters.ts';

const usage = `Usage: npm run soak -- [options]

  Loads a gateway with lists, details, spikes and errors while artists and keys change, and compares its memory by quarters.
  The exit code is 1 if it grows from the second quarter to the last.

  --minutes NUMBER   how long (15)
  --package FOLDER   the folder of another built gateway`;

const artistCount = 2_000;
const changeEvery = 7; // 286 of 2,000 artists
const roundMs = 4_000;
const keysEach = 10;
const settings = { CATALOGUE_REFRESH_SECONDS: '3', KEYS_REFRESH_SECONDS: '1' };

const soak = async (bench: Bench, minutes: number, folder: string): Promise<readonly Memory[]> => {
  const artists = generateArtists(artistCount);
  const database = await openDatabase({ artists, history: artists.flatMap(seriesOf), keys: bench.keys });
  const gateway = await bench.gateway({ MONGODB_URL: database.url, ...settings }, { folder });
  const readings: Memory[] = [];
  const timer = setInterval(() => readMemory(gateway).then((memory) => readings.push(memory)), 1_000);
  const end = performance.now() + minutes * 60_000;
  let [answers, failures, rounds] = [0, 0, 0];
  let issued = await issueKeys(keysEach);
  let known: typeof issued = [];
  while (performance.now() < end) {
    rounds += 1;
    database.replaceKeys([bench.keys, ...known, ...issued].flatMap(({ documents }) => documents));
    database.change(changeEvery);
    const requests = mixedRequests(bench, artists, known);
    const list = download(gateway.port, '/api/v1/artists?include=history&limit=100', bearer(bench.keys.current));
    const [sliced] = await Promise.allSettled([
      bench.generator.slice({ port: gateway.port, requests, connections: 8, ms: roundMs }),
      list,
    ]);
    if (sliced.status === 'fulfilled') answers += sliced.value.answers;
    else {
      failures += 1;
      process.stderr.write(`${sliced.reason}\n`);
    }
    [known, issued] = [issued, await issueKeys(keysEach)];
    const { heap, outside, rss } = readings.at(-1) ?? (await readMemory(gateway));
    process.stderr.write(
      `round ${rounds}: ${answers} answers, heap ${heap.toFixed(0)}, outside ${outside.toFixed(0)}, resident ${rss.toFixed(0)} MiB\n`,
    );
  }
  clearInterval(timer);
  process.stdout.write(
    `${minutes} minutes: ${answers} answers, ${rounds} rounds with changes of artists and keys, ${failures} failed\n`,
  );
  return readings;
};

runProgram(async (folder) => {
  const { values } = parseArgs({
    options: { minutes: { type: 'string', default: '15' }, package: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help === true) {
    process.stdout.write(`${usage}\n`);
    return true;
  }
  keepOffServerCore();
  const bench = await openBench(readOptions([]), folder);
  const readings = await soak(bench, Number(values.minutes), resolve(values.package ?? root));
  const { lines, levelsOff } = compareQuarters(readings);
  process.stdout.write(`${lines.join('\n')}\n${levelsOff ? 'levels off' : 'GROWS'}\n`);
  return levelsOff;
});
