import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { formNames } from '../../../adapters/forms/forms.ts';
import { createEmbeddedKeys } from '../../../adapters/stores/embedded/keys.ts';
import { fixtureFolder } from '../../../src/runtime/config.ts';
import { readExchange } from '../exchanges.ts';
import { createTestGateway, type TestGateway } from '../gateway.ts';
import { type LocalServer, openLocalServer } from './local-server.ts';

const artists = z
  .array(z.object({ _id: z.string(), id: z.string() }))
  .parse(JSON.parse(readFileSync(join(fixtureFolder, 'artists.json'), 'utf8')));

const signings = z.object({ _meta: z.object({ labels_tracked: z.array(z.string()) }) });

/** What no answer of the current form has, of the example catalogue. */
export const fixtureGiven = {
  documentIds: Object.fromEntries(artists.map(({ id, _id }) => [id, _id])),
  labelsTracked: signings.parse(readExchange('variant', 'signings').body)._meta.labels_tracked,
};

/** A gateway over the example catalogue with its demo keys. */
export const openDemoGateway = (): Promise<TestGateway> =>
  createTestGateway({ keys: createEmbeddedKeys(fixtureFolder, formNames, { sandbox: true }) });

/** The status and the body of a reply. */
interface StubReply {
  readonly status: number;
  readonly body: unknown;
}

/** A server that gives every request one reply. */
export interface StubGateway extends LocalServer {
  /** Replaces the reply. */
  answerWith(reply: StubReply): void;
}

export const createStubGateway = async (): Promise<StubGateway> => {
  let reply: StubReply = { status: 500, body: {} };
  const server = await openLocalServer((_request, response) => {
    response.writeHead(reply.status, { 'Content-Type': 'application/json' }).end(JSON.stringify(reply.body));
  });
  return {
    ...server,
    answerWith(next) {
      reply = next;
    },
  };
};
