import { isDeepStrictEqual } from 'node:util';
import { ask, bearer, get, parsePage } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { dayBefore, generateArtist } from '../catalogue/artists.ts';
import { tiers } from '../catalogue/words.ts';
import { compareTurns, formatSide, takeTurn } from '../load/compare.ts';
import { openDatabase } from '../mongodb/database.ts';
import { startModule } from '../process/started.ts';
import { line, type Row } from '../row.ts';
import { allowedRate } from './crowd.ts';
import { follow } from './gateways.ts';

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
  const { gateway } = await follow(bench, database);
  const { pid, next } = startModule('peers/team.js', [bench.redis.url, database.url], {
    env: { NODE_ENV: 'production' },
  });
  const port = await next<number>();
  await assertSameArtists(bench, [gateway.url, `http://127.0.0.1:${port}`]);
  const requests = [...lists, ...details].map((path) => get(path, bench.keys.current));
  const sides = {
    subject: { ...gateway, name: 'gateway', requests },
    base: { name: 'peer', port, pid, requests },
  };
  const pace = { connections: 64, rate: allowedRate };
  for (const side of [sides.subject, sides.base])
    await takeTurn(bench, [side], { ...pace, ms: bench.options.warmUpMs });
  const { subject, base } = await compareTurns(
    { subject: 'gateway', base: 'peer' },
    Math.ceil(bench.options.rounds / 4),
    (side) => takeTurn(bench, [sides[side]], { ...pace, ms: bench.options.sliceMs * 20 }),
  );
  const what = (server: string) =>
    `${allowedRate} lists and details a second, ${server}: share of a core`;
  const notes = (side: typeof subject) => [
    formatSide(side),
    ...(side.median('rate') < allowedRate * 0.95 ? ['unreliable: the rate was not reached'] : []),
  ];
  const peer =
    'a peer of Fastify 5 with one query of the MongoDB driver a request and @fastify/rate-limit on Redis, without keys, tags, log and metrics';
  return [
    line(what('this gateway'), subject.median('busy') * 100, '%', {}, notes(subject)),
    line(what(peer), base.median('busy') * 100, '%', {}, notes(base)),
  ];
};
