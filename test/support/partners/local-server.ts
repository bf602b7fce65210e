import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type RawReply, sendRaw } from '../raw.ts';

/** Sends a request without a body on to another port of this machine, for a plain response. */
export const forward = (
  port: number,
  { method, url = '', headers }: IncomingMessage,
): Promise<RawReply> =>
  sendRaw(port, { method, path: url, headers: { ...headers, 'accept-encoding': 'identity' } });

/** A server on a free loopback port. */
export interface LocalServer {
  /** Host and port. */
  readonly host: string;
  readonly url: string;
  /** Ends with all its connections. */
  close(): void;
}

export const openLocalServer = async (answer: RequestListener): Promise<LocalServer> => {
  const server = createServer(answer);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // a TCP address is never a string
  const host = `127.0.0.1:${port}`;
  return {
    host,
    url: `http://${host}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
};
