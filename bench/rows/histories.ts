import { ask, bearer, get, requestsFor } from '../answers.ts';
import { containerMiB } from '../bench.ts';
import { generateArtist } from '../catalogue/artists.ts';
import { generateHistory, halfMegabyteDays } from '../catalogue/histories.ts';
import { addOrganizations } from '../catalogue/keys.ts';
import { compare, rateLine } from '../load/compare.ts';
import { download } from '../load/connection.ts';
import { formatWaits, watchHealth } from '../load/watch-health.ts';
import { watchPeak } from '../process/usage.ts';
import { line, type Row } from '../row.ts';
import { startFollowing } from './gateways.ts';
import { startPeer } from './peers.ts';

/** One artist with half a megabyte of history, asked for again and again. */
export const history: Row = async (bench) => {
  const { url, port, pid } = await bench.filled();
  const key = bench.keys.current;
  const recorded = await ask(url, `/api/v1/artists/${generateArtist(0).id}`, bearer(key));
  const requests = requestsFor([recorded], key);
  const plain = await startPeer(bench, 'plain', [recorded]);
  const seen = await compare(bench, { name: 'gateway', port, pid, requests }, plain);

  const load = { port, requests, connections: 64, ms: bench.options.quick ? 2_000 : 6_000 };
  const { waits } = await watchHealth(port, () => bench.generator.slice(load));
  const size = Math.round(recorded.body.length / 1000);
  return [
    rateLine(
      `one artist with ${size} KB of history, against its bytes from plain node:http`,
      seen,
      { atLeast: 0.33 },
    ),
    line('p99 of /health for another client meanwhile', waits.p99, 'ms', {}, [
      formatWaits(waits),
      '64 connections ask for the history as fast as they can; the probe shares its core with them',
    ]),
  ];
};

/** Ten clients at once; four of them take 10 MB a second. */
const clients = 10;
const slowClients = 4;
const slowBytesPerMs = 10_000;

const path = '/api/v1/artists?include=history&limit=100';

/**
 * Megabytes of each answer, downloaded with all keys at once. Throws when an answer was put
 * together whole.
 */
const downloadAll = async (port: number, keys: readonly string[]) => {
  const each = keys.map((key, index) =>
    download(port, get(path, key), index < slowClients ? slowBytesPerMs : undefined),
  );
  const done = await Promise.all(each);
  const bytes = done[0]?.bytes ?? 0;
  if (done.some((one) => one.bytes !== bytes || one.announced))
    throw new Error(
      'answers differ in length, or have a Content-Length: they were put together whole',
    );
  return bytes / 1e6;
};

/**
 * A hundred artists with their histories, about fifty megabytes, asked for by ten clients at once,
 * of a gateway that has just started: no history was asked for before.
 */
export const histories: Row = async (bench) => {
  // one has room for a few of these lists
  const { texts, keys } = addOrganizations(bench.keys, clients);
  const { gateway } = await startFollowing(
    { ...bench, keys },
    {
      artists: bench.artists,
      series: (artist, index) => (index < 100 ? generateHistory(artist, halfMegabyteDays) : []),
    },
  );
  const { current } = bench.keys;
  await ask(gateway.url, '/api/v1/artists?limit=100', bearer(current));
  const { rss: idle } = await gateway.collected();
  await gateway.longestDelay(); // begins a new interval
  const readPeak = watchPeak(gateway.pid);
  const { waits, result: megabytes } = await watchHealth(gateway.port, () =>
    downloadAll(gateway.port, texts.current),
  );
  const [peak, delay] = [readPeak(), await gateway.longestDelay()];
  const after = Math.round((await gateway.collected()).rss);
  const notes = [formatWaits(waits)];
  return [
    line(
      '100 artists with history, ten at once: memory above idle',
      peak - idle,
      'MiB',
      { atMost: containerMiB / 4, inEveryRun: true },
      [
        `${clients} × ${Math.round(megabytes)} MB, ${slowClients} of the clients at 10 MB/s`,
        `idle ${Math.round(idle)} MiB, afterwards ${after} MiB with garbage collected`,
      ],
    ),
    line('longest delay of the event loop while histories are sent', delay, 'ms', {}, notes),
  ];
};
