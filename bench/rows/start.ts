import { ask, bearer } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { cpuMs } from '../process/usage.ts';
import { atMost, type Line, type Row } from '../row.ts';
import { type Following, fillDatabase, follow } from './following.ts';
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

export const start: Row = {
  name: 'start',
  async measure(bench) {
    const filled = await fillDatabase(bench, { artists: artistsIn(bench) });
    return [await startLine(bench, await follow(bench, filled), 'MongoDB', 3)];
  },
};
