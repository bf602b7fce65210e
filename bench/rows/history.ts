import { ask, bearer, requestsFor } from '../answers.ts';
import { generateArtist } from '../catalogue/artists.ts';
import { compare, rateLine } from '../load/compare.ts';
import { formatWaits, watchHealth } from '../load/watch-health.ts';
import { line, type Row } from '../row.ts';
import { startPeer } from './peers.ts';

/** One artist with half a megabyte of history, asked for again and again. */
export const history: Row = async (bench) => {
  const { url, port, pid } = await bench.embedded();
  const key = bench.keys.current;
  const recorded = await ask(url, `/api/v1/artists/${generateArtist(0).id}`, bearer(key));
  const requests = requestsFor([recorded], key);
  const plain = await startPeer(bench, 'plain', [recorded]);
  const seen = await compare(bench, { name: 'gateway', port, pid, requests }, plain);

  const load = { port, requests, connections: 64, ms: bench.options.quick ? 2_000 : 6_000 };
  const { waits } = await watchHealth(port, () => bench.generator.slice(load));
  const size = Math.round(recorded.body.length / 1000);
  return [
    rateLine(`one artist with ${size} KB of history, against its bytes from plain node:http`, seen, { atLeast: 0.7 }),
    line('p99 of /health for another client meanwhile', waits.p99, 'ms', { atMost: 10 }, [
      formatWaits(waits),
      '64 connections ask for the history as fast as they can; the probe shares its core with them',
    ]),
  ];
};
