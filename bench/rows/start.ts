import { ask, bearer } from '../answers.ts';
import { cpuMs } from '../process/usage.ts';
import { atMost, type Row } from '../row.ts';
import { startFollowing } from './following.ts';
import { artistsIn } from './pages.ts';

/** From nothing to the first page: what a deployment or a crash costs. */
export const start: Row = {
  name: 'start',
  async measure(bench) {
    const { gateway, database, artists } = await startFollowing(bench, { artists: artistsIn(bench) });
    const cpu = cpuMs(gateway.pid);
    const begin = performance.now();
    await ask(gateway.url, '/api/v1/artists?limit=50', bearer(bench.keys.current));
    const total = gateway.startMs + performance.now() - begin;
    return [
      atMost(`cold start with ${artists.length} artists from MongoDB, until the first page`, 5, 's', total / 1000, [
        `ready after ${(gateway.startMs / 1000).toFixed(2)} s and ${(cpu / 1000).toFixed(2)} s of processor`,
        database.description,
      ]),
    ];
  },
};
