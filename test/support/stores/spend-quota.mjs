import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { openRedisQuotas } from '../../../dist/adapters/stores/redis/quotas.js';
import { systemClock } from '../../../dist/src/runtime/clock.js';

// Prints "ready", waits for a line, consumes units of the hour at once, and prints the ends of the windows of the granted ones.

const [url = '', subject = '', limit = '', times = ''] = process.argv.slice(2);
const clock = systemClock();
const quotas = openRedisQuotas({ url, clock, log: { info() {}, warn() {}, error() {} }, timeoutMs: 250 });
const allowance = { subject, window: 'hour', limit: Number(limit) };
const deadline = () => clock.elapsed() + 2_000;
const answers = () => quotas.read(allowance, deadline()).catch(() => undefined);
while ((await answers()) === undefined) await sleep(20);
process.stdout.write('ready\n');
await once(process.stdin, 'data');
const units = Array.from({ length: Number(times) }, () => quotas.consume([allowance], deadline()));
const granted = (await Promise.all(units)).flat().filter((status) => status.granted);
await quotas.close();
process.stdin.destroy();
process.stdout.write(`${JSON.stringify(granted.map(({ endsAt }) => endsAt))}\n`);
