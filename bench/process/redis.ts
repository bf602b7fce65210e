import { freePort } from '../../test/support/ports.ts';
import { loadCore } from './pinning.ts';
import { start } from './started.ts';

/** Starts a real Redis on a free loopback port, without persistence, beside the load generator. */
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
  return { url: `redis://127.0.0.1:${port}`, pid };
};
