import { get, recordPages } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { generateOwnHistory } from '../catalogue/histories.ts';
import { memoryMiB } from '../process/usage.ts';
import { line, type Row } from '../row.ts';
import { type FilledGateway, startFilled } from './gateways.ts';

/** Days of series from which spikes are computed. */
const recentDays = 40;

/**
 * Every artist in both forms: by cursors in the current form, by identifiers in the variant form.
 */
const renderAll = async (
  { keys, generator }: Bench,
  { gateway, artists }: FilledGateway,
): Promise<void> => {
  await recordPages(gateway.url, keys.current, { query: 'limit=100' });
  const requests = artists.map(({ _id }) => get(`/api/v1/artists?id=${_id}`, keys.variant));
  await generator.slice({ port: gateway.port, requests, connections: 16, count: artists.length });
  generator.closeConnections();
};

/** Memory of a gateway (RSS) in MiB over the promised catalogue, after everything was rendered. */
export const memory: Row = async (bench) => {
  const now = Date.now();
  const filled = await startFilled(bench, {
    artists: bench.artists,
    series: (artist) => generateOwnHistory(artist, recentDays, now),
  });
  const { gateway, artists } = filled;
  const ready = memoryMiB(gateway.pid);
  await renderAll(bench, filled);
  const rendered = memoryMiB(gateway.pid);
  const { used, rss } = await gateway.collected();
  const what = `memory of ${artists.length} artists with ${recentDays} days of five series, both forms rendered`;
  const note = `${Math.round(ready)} MiB when ready; then ${Math.round(rss)} MiB with garbage collected, ${Math.round(used)} MiB in use`;
  return [line(what, rendered, 'MiB', { atMost: 290 }, [note])];
};
