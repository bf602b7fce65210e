import { ask, bearer } from '../answers.ts';
import { generateArtists } from '../catalogue/artists.ts';
import { openDatabase } from '../mongodb/database.ts';
import { atMost, type Row } from '../row.ts';
import { artistsIn } from './pages.ts';

/** From nothing to the first page: what a deployment or a crash costs. */
export const start: Row = {
  name: 'start',
  async measure(bench) {
    const { keys, options } = bench;
    const artists = generateArtists(artistsIn(bench));
    const { url, description } = await openDatabase(options.mongodb, { artists, history: [], keys });
    const gateway = await bench.gateway({ MONGODB_URL: url });
    const begin = performance.now();
    await ask(gateway.url, '/api/v1/artists?limit=50', bearer(keys.current));
    const total = gateway.startMs + performance.now() - begin;
    return [
      atMost(`cold start with ${artists.length} artists from MongoDB, until the first page`, 5, 's', total / 1000, [
        `ready after ${(gateway.startMs / 1000).toFixed(2)} s`,
        description,
      ]),
    ];
  },
};
