import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Finds a free loopback port. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP address is never a string
  server.close();
  await once(server, 'close');
  return port;
};
