import { atMost, type Row } from '../row.ts';
import { startFollowing } from './following.ts';
import { measureMemory } from './memory.ts';
import { artistsIn, manyArtistsIn } from './pages.ts';
import { delayLine, refreshOften } from './refresh.ts';
import { startLine } from './start.ts';

/** A large catalogue: its start, its memory, and the delay of a refresh. */
export const large: Row = {
  name: 'large',
  async measure(bench) {
    const tenThousand = await startFollowing(bench, { artists: artistsIn(bench) }, refreshOften);
    const base = await measureMemory(bench, tenThousand);
    await tenThousand.gateway.stop();

    const following = await startFollowing(bench, { artists: manyArtistsIn(bench) }, refreshOften);
    const start = startLine(following, 'MongoDB', 16);
    const { rendered, notes } = await measureMemory(bench, following);
    const what = `memory for ${following.artists.length} artists, both forms rendered, against that for ${artistsIn(bench)}`;
    return [
      start,
      atMost(what, 5, '×', rendered / base.rendered, [
        `${Math.round(rendered)} MiB against ${Math.round(base.rendered)} MiB`,
        ...notes,
      ]),
      await delayLine(bench, following, 20),
    ];
  },
};
