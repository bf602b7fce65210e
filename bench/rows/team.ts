import { isDeepStrictEqual } from 'node:util';
import { ask, bearer, get, parsePage } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { dayBefore, generateArtist } from '../catalogue/artists.ts';
import { tiers } from '../catalogue/words.ts';
import { compareTurns, formatSide, minBusy, takeTurn } from '../load/compare.ts';
import { openDatabase } from '../mongodb/database.ts';
import { startModule } from '../process/started.ts';
import { type Line, line, type Row } from '../row.ts';
import { allowedRate } from './crowd.ts';
import { startOverDatabase } from './gateways.ts';

/** 40 lists, and a sixth as many requests for details. */
const lists = tiers.flatMap((tier) =>
  Array.from(
    { length: 10 },
    (_, index) => `/api/v1/artists?limit=50&tier=${tier}&added_since=${dayBefore(100 - index * 5)}`,
  ),
);
const details = Array.from(
  { length: 7 },
  (_, index) => `/api/v1/artists/${generateArtist(index * 111).id}`,
);

/** Both servers show the same artists in the same order. */
const assertSameArtists = async (bench: Bench, urls: readonly string[]): Promise<void> => {
  for (const path of lists) {
    const [ours, theirs] = await Promise.all(
      urls.map(async (url) => {
        const { body } = await ask(url, path, bearer(bench.keys.current));
        return parsePage(body).data.map((artist) => Object(artist).id);
      }),
    );
    if (!isDeepStrictEqual(ours, theirs)) throw new Error(`${path}: not the same artists`);
  }
};

/**
 * The load of the quotas, for this gateway and for a service that a team would write instead. They
 * take turns of five seconds over the same MongoDB and Redis.
 */
export const team: Row = async (bench) => {
  const database = await openDatabase(bench.keys, { artists: bench.artists });
  const { gateway } = await startOverDatabase(bench, database);
  const { pid, next } = startModule('peers/team.js', [bench.redis.url, database.url], {
    env: { NODE_ENV: 'production' },
  });
  const port = await next<number>();
  await assertSameArtists(bench, [gateway.url, `http://127.0.0.1:${port}`]);
  const requests = [...lists, ...details].map((path) => get(path, bench.keys.current));
  const sides = {
    subject: { name: 'peer', port, pid, requests },
    base: { ...gateway, name: 'gateway', requests },
  };
  const pace = { rate: allowedRate };
  for (const side of [sides.base, sides.subject])
    await takeTurn(bench, [side], { ...pace, ms: bench.options.warmUpMs });
  const { subject, base, ratio } = await compareTurns(
    { subject: 'peer', base: 'gateway' },
    Math.ceil(bench.options.rounds / 4),
    (side) => takeTurn(bench, [sides[side]], { ...pace, ms: bench.options.sliceMs * 20 }),
  );
  const load = `${allowedRate} lists and details a second`;
  const peer =
    'a peer of Fastify 5 with one query of the MongoDB driver a request and @fastify/rate-limit on Redis, without keys, tags, log and metrics';
  const share = (server: string, side: typeof subject): Line => {
    const isLate = side.median('rate') < allowedRate * 0.95;
    const isFull = side.median('busy') > minBusy; // the load takes more than a core
    const notes = isLate && !isFull ? ['unreliable: the rate was not reached'] : [];
    const what = `${load}, ${server}: share of a core`;
    return line(what, side.median('busy') * 100, '%', {}, [formatSide(side), ...notes]);
  };
  return [
    share('this gateway', base),
    share(peer, subject),
    line(`${load}, the peer: processor time, against this gateway`, ratio('cpuUs'), '×', {}),
  ];
};
