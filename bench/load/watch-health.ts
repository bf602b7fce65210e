import { startGenerator } from './generate.ts';
import type { SliceResult } from './messages.ts';

const health = { path: '/api/v1/health', headers: {}, status: 200 };

/**
 * Has another client ask a gateway for its health every few milliseconds, from a process of its
 * own, while something else goes on.
 */
export const watchHealth = async <Result>(port: number, meanwhile: () => Promise<Result>) => {
  const client = startGenerator();
  const order = { port, requests: [health], connections: 1, pauseMs: 5 };
  await client.slice({ ...order, count: 1 }); // it is ready
  const [waits, result] = await Promise.all([
    client.slice(order),
    meanwhile().finally(client.finish),
  ]);
  await client.stop();
  return { waits, result };
};

export const formatWaits = ({ answers, p50, p99, longest }: SliceResult): string =>
  `/health for another client: p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, longest ${longest.toFixed(1)} ms of ${answers}`;
