import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ask, assertSame, bearer, parsePage, type Recorded, writeAnswers } from '../answers.ts';
import { compare, formatComparison } from '../load/compare.ts';
import { startPeer } from '../process/peer.ts';
import { atLeast, type Row } from '../row.ts';
import { startPaged } from './pages.ts';

/** The same documents in the same order, and as many bytes: only instant and request id may differ. */
const isSamePage = (ours: Buffer, theirs: Buffer): boolean =>
  ours.length === theirs.length && isDeepStrictEqual(parsePage(ours).data, parsePage(theirs).data);

const against = (name: 'fastify' | 'express', what: string, goal: number): Row => ({
  name,
  async measure(bench) {
    const { folder, redis, keys, generator, options } = bench;
    const gateway = await startPaged(bench);
    const answers = join(folder, `pages-${name}`);
    await writeAnswers(answers, gateway.recorded);
    const { url, port, pid } = await startPeer(name, redis.url, answers);
    const pathOf = (index: number): string => `/api/v1/artists?page=${index}`;
    const askPeer = (index: number): Promise<Recorded> => ask(url, pathOf(index), bearer(keys.current));
    await assertSame(gateway.recorded, askPeer, isSamePage);
    const requests = gateway.requests.map((request, index) => ({ ...request, path: pathOf(index) }));
    const seen = await compare(generator, gateway, { name, port, pid, requests }, options);
    return [
      atLeast(`page of 50, against ${what}`, goal, '×', seen.rateRatio, [
        ...formatComparison(seen),
        `favours ${name}: one counter for two, no key to check, no parameters, no tag, no log, no metrics, no filter`,
        `disfavours ${name}: its documents are objects that are written as JSON each time, as is usual`,
      ]),
    ];
  },
});

export const fastify = against('fastify', 'Fastify 5 with @fastify/rate-limit', 17);
export const express = against('express', 'Express 5 with express-rate-limit', 13);
