import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingHttpHeaders, Server } from 'node:http';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { parsePage } from '../answers.ts';

/** The first argument of a peer: the Redis that it counts in. */
export const redis = new Redis(process.argv[2] ?? '');

/** The second: a folder with answers of the gateway, `0.json`, `1.json` …, or the URL of MongoDB. */
export const source = process.argv[3] ?? '';

/** Options of `@fastify/rate-limit` for one window on Redis. */
export const rateLimitOptions = {
  max: 1_000_000_000,
  timeWindow: 60_000,
  redis,
  keyGenerator: ({ headers }: { readonly headers: IncomingHttpHeaders }) =>
    headers.authorization ?? '',
};

/** The answers, in order. */
export const readAnswers = (): Buffer[] =>
  readdirSync(source).map((_, index) => readFileSync(join(source, `${index}.json`)));

const pageSize = 50;

/**
 * Gives the same pages as the gateway, as one would write it: documents in memory, and what is new
 * in each request.
 */
export const createPages = () => {
  const pages = readAnswers().map(parsePage);
  const documents = pages.flatMap(({ data }) => data);
  const cursors = pages.map(({ meta }) => meta.next_cursor);
  return (index: number) => {
    const data = documents.slice(index * pageSize, (index + 1) * pageSize);
    return {
      data,
      meta: {
        api_version: 'v1',
        count: data.length,
        next_cursor: cursors[index] ?? null,
        generated_at: new Date().toISOString(),
        request_id: randomUUID(),
      },
    };
  };
};

/** Tells the bench that started this process where it listens, and ends with it. */
export const announce = (server: Server): void => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.');
  process.send?.(address.port);
  process.on('disconnect', () => process.exit());
};
