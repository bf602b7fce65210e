import { once } from 'node:events';
import type { Allowance } from '../src/domain/caller.ts';
import { inTwoSeconds, openReadyRedisQuotas } from '../test/support/redis-quotas.ts';

/**
 * Consumes a quota from a process of its own, for the test that several gateways share one quota. Run it with
 * `node --import tsx scripts/spend-quota.ts <url> <subject> <limit> <times>`. It prints "ready", waits for a line on stdin, consumes
 * `<times>` units of the hour at once, and prints the ends of the windows of the granted units as JSON.
 */
const [, , url = '', subject = '', limit = '', times = ''] = process.argv;
const { quotas, clock } = await openReadyRedisQuotas(url);
const allowance: Allowance = { subject, window: 'hour', limit: Number(limit) };
process.stdout.write('ready\n');
await once(process.stdin, 'data');
const results = await Promise.all(
  Array.from({ length: Number(times) }, () => quotas.consume([allowance], inTwoSeconds(clock))),
);
await quotas.close();
process.stdin.destroy();
process.stdout.write(
  `${JSON.stringify(
    results
      .flat()
      .filter(({ granted }) => granted)
      .map(({ endsAt }) => endsAt),
  )}\n`,
);
