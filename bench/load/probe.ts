import { setTimeout as wait } from 'node:timers/promises';
import { quantile } from '../statistics.ts';
import { openConnection, prepare } from './connection.ts';

/** Another client: asks `/health` over its own connection, every few milliseconds, until it is told to end. */
const [, , port = ''] = process.argv;
const pauseMs = 5;
const health = prepare({ path: '/api/v1/health', headers: {}, status: 200 });
const times: number[] = [];

const summarizeTimes = () => ({
  count: times.length,
  p50: quantile(times, 0.5),
  p99: quantile(times, 0.99),
  longest: Math.max(...times),
});

/** What the client saw, in milliseconds. */
export type Waits = ReturnType<typeof summarizeTimes>;

process.on('message', () => {
  process.send?.(summarizeTimes());
  process.exit();
});
process.on('disconnect', () => process.exit());

let connection = await openConnection(Number(port));
await connection.ask(health);
process.send?.('ready');
for (;;) {
  if (!connection.isOpen()) connection = await openConnection(Number(port));
  const sentAt = performance.now();
  await connection.ask(health);
  times.push(performance.now() - sentAt);
  await wait(pauseMs);
}
