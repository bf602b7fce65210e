import { get, recordPages } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { generateOwnHistory } from '../catalogue/histories.ts';
import type { Contents } from '../mongodb/database.ts';
import { memoryMiB } from '../process/usage.ts';
import { line, type Row } from '../row.ts';
import { type Following, startFollowing } from './gateways.ts';

/** Days of series from which spikes are told. */
const recentDays = 40;

/** Every artist in both forms: the current form by its cursors, the variant form by identifier. */
const renderAll = async ({ keys, generator }: Bench, { gateway, artists }: Following): Promise<void> => {
  await recordPages(gateway.url, keys.current, { query: 'limit=100' });
  const requests = artists.map(({ _id }) => get(`/api/v1/artists?id=${_id}`, keys.variant));
  await generator.slice({ port: gateway.port, requests, connections: 16, count: artists.length });
  generator.closeConnections();
};

/** Memory of a process (RSS) that followed these, once all is rendered, in MiB. */
const measureMemory = async (bench: Bench, contents: Contents) => {
  const following = await startFollowing(bench, contents);
  const { gateway } = following;
  const ready = memoryMiB(gateway.pid);
  await renderAll(bench, following);
  const rendered = memoryMiB(gateway.pid);
  await gateway.collect();
  const collected = `${Math.round(memoryMiB(gateway.pid))} MiB with garbage collected`;
  const used = `${Math.round(await gateway.usedMiB())} MiB in use`;
  await gateway.stop();
  return { rendered, note: `${Math.round(ready)} MiB when ready; then ${collected}, ${used}` };
};

export const memory: Row = async (bench) => {
  const { artists } = bench;
  const now = Date.now();
  const plain = await measureMemory(bench, { artists });
  const withSeries = await measureMemory(bench, {
    artists,
    series: (artist) => generateOwnHistory(artist, recentDays, now),
  });
  const what = `memory for ${artists} artists, both forms rendered`;
  return [
    line(what, plain.rendered, 'MiB', { atMost: 300 }, [plain.note, 'artists without series']),
    line(`${what}, each with ${recentDays} days of five series`, withSeries.rendered, 'MiB', {}, [withSeries.note]),
  ];
};
