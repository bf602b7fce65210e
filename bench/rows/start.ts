import { existsSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { gapMs } from '../process/gateway.ts';
import { atMost, type Line, type Row } from '../row.ts';
import { type Filled, type Following, fillDatabase, follow } from './following.ts';
import { artistsIn } from './pages.ts';

/** From nothing to the first page: what a deployment or a crash costs. */
export const startLine = ({ gateway, artists }: Following, from: string, goal: number): Line => {
  const what = `cold start with ${artists.length} artists from ${from}, until the first page`;
  return atMost(what, goal, 's', gateway.startMs / 1000, [
    `${(gateway.startCpuMs / 1000).toFixed(2)} s of processor; a page of 50 is asked for every ${gapMs} ms, as soon as somebody listens`,
  ]);
};

/** A gateway that stops leaves a copy of what it served; the next one starts with it. */
const fromCopy = async (bench: Bench, filled: Filled): Promise<Line> => {
  const folder = mkdtempSync(join(bench.folder, 'state-'));
  const settings = { STATE_DIR: folder, SHUTDOWN_GRACE_SECONDS: '10' };
  const { gateway } = await follow(bench, filled, settings);
  await gateway.stop();
  if (!existsSync(join(folder, 'catalogue.copy'))) throw new Error('no copy of the catalogue was left');
  return startLine(await follow(bench, filled, settings), 'the copy on disk', 1);
};

export const start: Row = {
  name: 'start',
  async measure(bench) {
    const filled = await fillDatabase(bench, { artists: artistsIn(bench) });
    const following = await follow(bench, filled);
    const fromMongo = startLine(following, 'MongoDB', 3);
    await following.gateway.stop();
    return [fromMongo, await fromCopy(bench, filled)];
  },
};
