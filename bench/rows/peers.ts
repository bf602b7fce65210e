import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ask, get, parsePage, type Recorded } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { compare, rateLine, type Subject } from '../load/compare.ts';
import { startModule } from '../process/started.ts';
import type { Row } from '../row.ts';
import { startPaged } from './gateways.ts';

/** Starts a server of `peers/`. Throws if its responses differ from the gateway's. */
export const startPeer = async (
  { folder, redis, keys }: Bench,
  name: 'plain' | 'fastify',
  recorded: readonly Recorded[],
): Promise<Subject> => {
  const answers = await mkdtemp(join(folder, `${name}-`));
  await Promise.all(
    recorded.map(({ body }, index) => writeFile(join(answers, `${index}.json`), body)),
  );
  const { pid, next } = startModule(`peers/${name}.js`, [redis.url, answers], {
    env: { NODE_ENV: 'production' },
  });
  const port = await next<number>();
  const requests = recorded.map(({ body }, index) =>
    get(`/api/v1/artists?page=${index}`, keys.current, { length: body.length }),
  );
  for (const [index, { path, headers }] of requests.entries()) {
    const theirs = await ask(`http://127.0.0.1:${port}`, path, headers);
    const ours = recorded[index]?.body ?? Buffer.alloc(0);
    // The same documents in the same order, and as many bytes: only instant and request id may
    // differ.
    if (
      theirs.body.length !== ours.length ||
      !isDeepStrictEqual(parsePage(theirs.body).data, parsePage(ours).data)
    )
      throw new Error(`${name} answers ${path} in another way than the gateway`);
  }
  return { name, port, pid, requests };
};

export const peers: Row = async (bench) => {
  const gateway = await startPaged(bench);
  const seen = await compare(bench, gateway, await startPeer(bench, 'fastify', gateway.recorded));
  const what =
    'page of 50, against Fastify 5 that writes documents in memory as JSON and counts one window with @fastify/rate-limit on Redis, without keys, parameters, filters, tags, log and metrics';
  return [rateLine(what, seen, { atLeast: 10 })];
};
