import { Redis } from 'ioredis';
import { freePort } from '../../test/support/ports.ts';
import { loadCore } from './pinning.ts';
import { start } from './started.ts';

/** Starts Redis on a free loopback port, without persistence, on the core of the load generator. */
export const startRedis = async () => {
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const { child, pid } = start('redis-server', args, {
    core: loadCore,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error('redis-server ended before it listened')));
    child.stdout?.on(
      'data',
      (log) => String(log).includes('Ready to accept connections') && resolve(),
    );
  });
  const url = `redis://127.0.0.1:${port}`;
  return {
    url,
    pid,
    /** Scripts that gateways ran, one for each request, and their connections. */
    async traffic() {
      const client = new Redis(url);
      const info = `${await client.info('clients')}\n${await client.info('commandstats')}`;
      client.disconnect();
      const commands = [...info.matchAll(/^cmdstat_(?:evalsha|eval):calls=(\d+)/gm)];
      const [, connections] = /^connected_clients:(\d+)/m.exec(info) ?? [];
      return {
        commands: commands.reduce((sum, [, calls]) => sum + Number(calls), 0),
        connections: Number(connections) - 1, // without this one
      };
    },
  };
};
