import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { pipeline } from 'node:stream';
import { type RawReply, sendRaw } from '../raw.ts';

/** Sends a request without a body on to another port of this machine. */
export const forward = (
  port: number,
  { method, url = '', headers }: IncomingMessage,
): Promise<RawReply> => sendRaw(port, { method, path: url, headers });

/** A server on a free loopback port. */
export interface LocalServer {
  /** Host and port. */
  readonly host: string;
  readonly url: string;
  /** Ends with all its connections. */
  close(): void;
}

const listen = async (server: Server): Promise<LocalServer> => {
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

export const openLocalServer = (answer: RequestListener): Promise<LocalServer> =>
  listen(createServer(answer));

/** A proxy that opens tunnels (`CONNECT`) to ports of this machine. */
export const openProxy = (): Promise<LocalServer> =>
  listen(
    createServer().on('connect', ({ url }, client) => {
      const target = connect(Number(new URL(`http://${url}`).port), '127.0.0.1', () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        pipeline(client, target, client, () => client.destroy()); // either end may close it
      });
      target.once('error', () => client.destroy());
    }),
  );
