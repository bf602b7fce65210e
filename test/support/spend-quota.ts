import { once } from 'node:events';
import type { Allowance } from '../../src/domain/caller.ts';
import { openReadyRedisQuotas, soon } from './redis-quotas.ts';

// A gateway's share of a crowd: node --import tsx spend-quota.ts <url> <subject> <limit> <times>. Writes "ready", waits for a
// line on its input, spends so many times at once in the hour, writes the ends of the windows it was granted units in.
const [, , url = '', subject = '', limit = '', times = ''] = process.argv;
const { quotas, clock } = await openReadyRedisQuotas(url);
const allowance: Allowance = { subject, window: 'hour', limit: Number(limit) };
process.stdout.write('ready\n');
await once(process.stdin, 'data');
const spent = await Promise.all(Array.from({ length: Number(times) }, () => quotas.consume(allowance, soon(clock))));
await quotas.close();
process.stdin.destroy();
process.stdout.write(`${JSON.stringify(spent.filter(({ granted }) => granted).map(({ endsAt }) => endsAt))}\n`);
