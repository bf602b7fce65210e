import { expectContract } from '../contract.ts';
import { decodedText, type TestGateway } from '../gateway.ts';
import { forward, type LocalServer, openLocalServer } from './local-server.ts';

/** A request of a client, and the status of its answer. */
export interface SeenRequest {
  readonly path: string;
  readonly ifNoneMatch: string | undefined;
  readonly status: number;
  readonly retryAfter: number;
  /** When it arrived, by `performance.now()`. */
  readonly at: number;
}

export interface ClientProxy extends LocalServer {
  readonly seen: readonly SeenRequest[];
}

/**
 * Opens a proxy between a client and a gateway. It advances the gateway's clock by every `Retry-After`, so that the client
 * may wait less.
 */
export const openClientProxy = async (
  gateway: TestGateway,
  afterAnswer: (count: number) => Promise<void>,
): Promise<ClientProxy> => {
  const seen: SeenRequest[] = [];
  const server = await openLocalServer(async (incoming, outgoing) => {
    const at = performance.now();
    const { url = '', headers } = incoming;
    const reply = await forward(gateway.port, incoming);
    expectContract(url, { ...reply, text: decodedText(reply) });
    const retryAfter = Number(reply.headers['retry-after'] ?? 0);
    seen.push({ path: url, ifNoneMatch: headers['if-none-match'], status: reply.status, retryAfter, at });
    gateway.clock.advance(retryAfter * 1000);
    await Promise.all([gateway.gateway.keys.refresh(), gateway.gateway.catalogue.refresh()]);
    await afterAnswer(seen.length);
    outgoing.writeHead(reply.status, [...reply.rawHeaders]).end(reply.body);
  });
  return { ...server, seen };
};
