import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give to outgoing connections (Linux from 32768, macOS from 49152):
 * one of those could take the port before a server listens on it, or while a server is down and its
 * clients try to reconnect.
 */
const [lowest, end] = [10_240, 32_768];
const maxTries = 100;

export const isFreePort = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
};

/** Finds a free loopback port. */
export const freePort = async (): Promise<number> => {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const port = randomInt(lowest, end);
    if (await isFreePort(port)) return port;
  }
  throw new Error(`${maxTries} ports of 127.0.0.1 from ${lowest} to ${end - 1} are taken.`);
};
