import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../test/support/ports.ts';
import { loadCore } from './pinning.ts';
import { start } from './started.ts';

export interface Redis {
  readonly url: string;
  readonly pid: number;
}

/** Whether somebody listens on a loopback port. */
const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const settle = (listening: boolean): void => {
      socket.destroy();
      resolve(listening);
    };
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });

/** Starts a real Redis on a free loopback port, without persistence, beside the load generator. */
export const startRedis = async (): Promise<Redis> => {
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const { child, pid } = start('redis-server', [...args, '--maxmemory-policy', 'noeviction'], { core: loadCore });
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error('redis-server ended before it listened');
    await wait(20);
  }
  return { url: `redis://127.0.0.1:${port}`, pid };
};
