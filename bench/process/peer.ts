import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Started, start } from './started.ts';

export interface Peer extends Started {
  readonly port: number;
  readonly url: string;
}

/** Starts one of the servers in `peers/`: each tells its port when it listens. */
export const startPeer = async (
  name: 'plain' | 'fastify' | 'express',
  redisUrl: string,
  folder: string,
): Promise<Peer> => {
  const file = fileURLToPath(new URL(`../peers/${name}.js`, import.meta.url));
  const started = start(process.execPath, [file, redisUrl, folder], {
    env: { NODE_ENV: 'production' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const failed = once(started.child, 'exit').then(() => Promise.reject(new Error(`the ${name} peer ended`)));
  const [port]: unknown[] = await Promise.race([once(started.child, 'message'), failed]);
  failed.catch(() => {}); // it is stopped in the end
  return { ...started, port: Number(port), url: `http://127.0.0.1:${Number(port)}` };
};
