import { once } from 'node:events';
import type { Server } from 'node:http';

/**
 * A host as a URL has it: an address in brackets if it is IPv6, and the loopback address for "every
 * address".
 */
const hostInUrl = (host: string): string => {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
};

/**
 * Listens, and returns the base URL. Rejects with one line that names the setting: `HOST`, `PORT`
 * or those of the operations.
 */
export const listen = async (
  server: Server,
  prefix: string,
  host: string,
  port: number,
): Promise<string> => {
  server.listen(port, host);
  await once(server, 'listening').catch((cause: NodeJS.ErrnoException) => {
    const problems: Readonly<Record<string, string>> = {
      EADDRINUSE: `${prefix}PORT is ${port}: another program listens there on ${host}. Set ${prefix}PORT to a free port`,
      EACCES: `${prefix}PORT is ${port}: this user may not listen there. Set ${prefix}PORT to one of 1024 or more`,
    };
    const other = `${prefix}HOST is ${host}: it is not an address of this machine`;
    throw new Error(`${problems[String(cause.code)] ?? other} (${cause.code}).`, { cause });
  });
  const address = server.address();
  return `http://${hostInUrl(host)}:${typeof address === 'object' ? address?.port : port}`;
};

/** Stops listening; resolves when the last connection is closed. */
export const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => server.close(() => resolve()));
