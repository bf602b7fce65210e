import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Cleanup } from '../cleanup.ts';
import { type RawReply, sendRaw } from '../raw.ts';

/** Opens a server on a free loopback port. The cleanup ends it with all its connections. */
export const openLocalServer = async (cleanup: Cleanup, answer: RequestListener) => {
  const server = createServer(answer);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
  };
  cleanup.add(server, close);
  const { port } = server.address() as AddressInfo; // a TCP address is never a string
  return { port, url: `http://127.0.0.1:${port}`, close };
};

/** Sends a request without a body on to another port of this machine, for a plain response. */
export const forward = (
  port: number,
  { method, url: path = '', headers }: IncomingMessage,
): Promise<RawReply> =>
  sendRaw(port, { method, path, headers: { ...headers, 'accept-encoding': 'identity' } });

/** What a relay sends instead of a part of a response. */
type Changed = Partial<Pick<RawReply, 'status' | 'rawHeaders'>> & {
  readonly body?: Buffer | string;
};

/** Opens a server that sends requests without a body on to a port, and changes the responses. */
export const openRelay = (
  cleanup: Cleanup,
  port: number,
  change: (reply: RawReply, request: IncomingMessage) => Promise<Changed> | Changed,
) =>
  openLocalServer(cleanup, async (request, response) => {
    const reply = await forward(port, request);
    const { status, rawHeaders, body } = { ...reply, ...(await change(reply, request)) };
    response.writeHead(status, [...rawHeaders]).end(body);
  });
