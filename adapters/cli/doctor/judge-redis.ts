import { type Finding, judgeClock, mend, ok, remark } from './finding.ts';
import type { RedisFindings } from './probe-redis.ts';

const judgePolicy = (policy: string | undefined): Finding => {
  const check = 'redis policy';
  if (policy === undefined) return remark(check, 'not readable', 'allow +config|get, or make sure it is noeviction');
  if (policy === 'noeviction') return ok(check, policy);
  return mend(check, `${policy}: counts may be evicted`, 'set maxmemory-policy to noeviction');
};

const judgePersistence = (persists: boolean | undefined): Finding => {
  const check = 'redis persistence';
  if (persists === undefined) return remark(check, 'not readable', 'allow +config|get, or check appendonly and save');
  if (persists) return ok(check, 'counts survive a restart');
  return remark(check, 'off: quotas start at 0 after a restart', 'set appendonly yes');
};

/** Judges what a look at Redis found. */
export const judgeRedis = ({ uncountable, policy, persists, clockAheadMs }: RedisFindings): Finding[] => [
  uncountable === undefined
    ? ok('redis rights', 'counts and refunds')
    : mend('redis rights', uncountable, 'see "Redis" in docs/operating.md for the rights that the user needs'),
  judgePolicy(policy),
  judgePersistence(persists),
  judgeClock('redis clock', clockAheadMs),
];
