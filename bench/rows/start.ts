import { existsSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { ask, bearer } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { cpuMs } from '../process/usage.ts';
import { atMost, type Line, type Row } from '../row.ts';
import { type Filled, type Following, fillDatabase, follow } from './following.ts';
import { artistsIn } from './pages.ts';

/** From nothing to the first page: what a deployment or a crash costs. The gateway must have just become ready. */
export const startLine = async (bench: Bench, following: Following, from: string, goal: number): Promise<Line> => {
  const { gateway, artists } = following;
  const cpu = cpuMs(gateway.pid);
  const begin = performance.now();
  await ask(gateway.url, '/api/v1/artists?limit=50', bearer(bench.keys.current));
  const total = gateway.startMs + performance.now() - begin;
  const what = `cold start with ${artists.length} artists from ${from}, until the first page`;
  return atMost(what, goal, 's', total / 1000, [
    `ready after ${(gateway.startMs / 1000).toFixed(2)} s and ${(cpu / 1000).toFixed(2)} s of processor`,
  ]);
};

/** A gateway that stops leaves a copy of what it served; the next one starts with it. */
const fromCopy = async (bench: Bench, filled: Filled): Promise<Line> => {
  const folder = mkdtempSync(join(bench.folder, 'state-'));
  const settings = { STATE_DIR: folder, SHUTDOWN_GRACE_SECONDS: '10' };
  const { gateway } = await follow(bench, filled, settings);
  await gateway.stop();
  if (!existsSync(join(folder, 'catalogue.copy'))) throw new Error('no copy of the catalogue was left');
  return startLine(bench, await follow(bench, filled, settings), 'the copy on disk', 1);
};

export const start: Row = {
  name: 'start',
  async measure(bench) {
    const filled = await fillDatabase(bench, { artists: artistsIn(bench) });
    const following = await follow(bench, filled);
    const fromMongo = await startLine(bench, following, 'MongoDB', 3);
    await following.gateway.stop();
    return [fromMongo, await fromCopy(bench, filled)];
  },
};
