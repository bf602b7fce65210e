import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { parsePage } from '../answers.ts';

/**
 * The arguments of a peer: the Redis that it counts in, and the folder with answers of the gateway,
 * `0.json`, `1.json` ….
 */
export const [, , redisUrl = '', folder = ''] = process.argv;

/** The answers, in order. */
export const readAnswers = (): Buffer[] =>
  readdirSync(folder).map((_, index) => readFileSync(join(folder, `${index}.json`)));

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
