import { ask, bearer, requestsFor } from '../answers.ts';
import { generateArtist } from '../catalogue/artists.ts';
import { compare, formatComparison } from '../load/compare.ts';
import { formatWaits, watchHealth } from '../load/watch-health.ts';
import { atLeast, atMost, type Row } from '../row.ts';
import { artistsIn } from './pages.ts';
import { startPlain } from './plain.ts';

/** One artist with half a megabyte of history, asked for again and again. */
export const history: Row = {
  name: 'history',
  async measure(bench) {
    const catalogue = await bench.catalogue({ artists: artistsIn(bench), histories: 1 });
    const { url, port, pid } = await bench.gateway({ CATALOGUE_DIR: catalogue, KEYS_DIR: catalogue });
    const key = bench.keys.current;
    const recorded = [await ask(url, `/api/v1/artists/${generateArtist(0).id}`, bearer(key))];
    const plain = await startPlain(bench, 'history', key, recorded);
    const gateway = { name: 'gateway', port, pid, requests: requestsFor(recorded, key) };
    const seen = await compare(bench.generator, gateway, plain, bench.options);

    const load = { port, requests: gateway.requests, connections: 64, ms: bench.options.quick ? 2_000 : 6_000 };
    const waits = await watchHealth(port, () => bench.generator.slice(load));
    bench.generator.closeConnections();
    const size = Math.round((recorded[0]?.body.length ?? 0) / 1000);
    return [
      atLeast(
        `one artist with ${size} KB of history, against its bytes from plain node:http`,
        0.7,
        '×',
        seen.rateRatio,
        formatComparison(seen),
      ),
      atMost('p99 of /health for another client meanwhile', 10, 'ms', waits.p99, [
        formatWaits(waits),
        '64 connections ask for the history as fast as they can; the probe shares its core with them',
      ]),
    ];
  },
};
