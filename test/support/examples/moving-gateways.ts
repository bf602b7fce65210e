import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { fixtureFolder } from '../../../src/runtime/config.ts';
import { readExchange } from '../exchanges.ts';
import { openLocalServer } from './local-server.ts';

const artists = z
  .array(z.object({ _id: z.string(), id: z.string() }))
  .parse(JSON.parse(readFileSync(join(fixtureFolder, 'artists.json'), 'utf8')));

const signings = z.object({ _meta: z.object({ labels_tracked: z.array(z.string()) }) });

/** What no answer of the current form has, of the example catalogue. */
export const fixtureGiven = {
  documentIds: Object.fromEntries(artists.map(({ id, _id }) => [id, _id])),
  labelsTracked: signings.parse(readExchange('variant', 'signings').body)._meta.labels_tracked,
};

/** A server that gives every request the reply that `answerWith` was called with last. */
export const createStubGateway = async () => {
  let [status, body]: [number, unknown] = [500, {}];
  const server = await openLocalServer((_request, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
  const answerWith = (...next: [status: number, body: unknown]): void => {
    [status, body] = next;
  };
  return { ...server, answerWith };
};
