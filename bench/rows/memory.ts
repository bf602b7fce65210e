import { bearer, recordPages } from '../answers.ts';
import type { Bench } from '../bench.ts';
import type { ArtistDocument } from '../catalogue/artists.ts';
import type { Gateway } from '../process/gateway.ts';
import { memoryMiB } from '../process/usage.ts';
import { atMost, type Line, type Row } from '../row.ts';
import { startFollowing } from './following.ts';
import { artistsIn } from './pages.ts';

/** Every artist in both forms: the current form by its cursors, the variant form by identifier. */
const renderAll = async (
  { keys, generator }: Bench,
  { url, port }: Gateway,
  artists: readonly ArtistDocument[],
): Promise<void> => {
  await recordPages(url, keys.current, Number.POSITIVE_INFINITY, 'limit=100');
  const headers = bearer(keys.variant);
  const requests = artists.map(({ _id }) => ({ path: `/api/v1/artists?id=${_id}`, headers, status: 200 }));
  await generator.slice({ port, requests, connections: 16, ms: 0, count: artists.length });
  generator.closeConnections();
};

export const memory: Row = {
  name: 'memory',
  async measure(bench): Promise<Line[]> {
    const { gateway, database, artists } = await startFollowing(bench, { artists: artistsIn(bench) });
    const before = memoryMiB(gateway.pid);
    await renderAll(bench, gateway, artists);
    const after = memoryMiB(gateway.pid);
    await gateway.collect();
    const metrics = await gateway.metrics();
    const heap = (metrics.get('nodejs_heap_size_used_bytes') ?? Number.NaN) / 2 ** 20;
    const external = (metrics.get('nodejs_external_memory_bytes') ?? Number.NaN) / 2 ** 20;
    return [
      atMost(`memory for ${artists.length} artists, both forms rendered`, 250, 'MiB', after, [
        `${Math.round(before)} MiB when it was ready; ${Math.round(memoryMiB(gateway.pid))} MiB with garbage collected, ` +
          `of which ${Math.round(heap)} MiB heap and ${Math.round(external)} MiB outside it`,
        database.description,
        'artists without series: each recent point of a series adds to it',
      ]),
    ];
  },
};
