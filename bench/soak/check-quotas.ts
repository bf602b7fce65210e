import type { QuotaWindow } from '../../src/domain/caller.ts';
import { groupBy } from '../../src/domain/groups.ts';
import { checkHistory } from '../../test/support/nemesis/check-history.ts';
import type { Count, Exchange, Finding } from '../../test/support/nemesis/history.ts';
import type { RedisServer } from '../../test/support/redis-server.ts';
import { limitsOf } from './ask.ts';
import type { Outage } from './outages.ts';

/**
 * The count of each open window that Redis holds of a subject, as its hash has them: names, and
 * behind each the end of the window in epoch milliseconds with its count.
 */
const parseCounts = (subject: string, hash: unknown): Count[] => {
  const words = [hash].flat().map(String);
  return words.flatMap((word, index) => {
    if (index % 2 === 1) return [];
    const [ends, count] = (words[index + 1] ?? '').split(' ').map(Number);
    if (ends === undefined || count === undefined) throw new Error(`${subject}: ${words}`);
    // a name that the limits do not have is a finding
    const window = word as QuotaWindow;
    if (ends < Date.now()) return [];
    return [{ at: performance.now(), subject, window, reset: ends / 1_000, count }];
  });
};

/**
 * What the exchanges of a soak break of the quotas, and the counts that Redis holds in the end: a
 * subject at a time, since the checker compares all exchanges that it is given.
 */
export const checkQuotas = async (
  exchanges: readonly Exchange[],
  redis: RedisServer,
  outages: readonly Outage[],
): Promise<readonly Finding[]> => {
  const groups = [...groupBy(exchanges, (one) => one.subject)];
  const hashes = await redis.commands(groups.map(([subject]) => ['HGETALL', `quota:${subject}`]));
  return groups.flatMap(([subject, own], index) =>
    checkHistory({
      limits: { [subject]: limitsOf(subject) },
      exchanges: own,
      clock: [{ at: 0, offset: Date.now() - performance.now() }],
      losses: [],
      outages: outages.flatMap(({ certain }) => certain ?? []),
      counts: parseCounts(subject, hashes[index]),
    }),
  );
};
