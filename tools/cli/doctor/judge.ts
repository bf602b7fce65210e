import type { QuotaFindings } from '../../../adapters/stores/shared-quotas.ts';
import { maxClockMs } from '../../../src/runtime/clock-watch.ts';
import type { Config } from '../../../src/runtime/config.ts';
import { type Finding, fail, ok, warning } from './finding.ts';

/** Judges how far a store's clock is ahead of the machine's, in milliseconds. */
export const judgeClock = (
  check: string,
  aheadMs: number | undefined,
  node?: string | undefined,
): Finding => {
  if (aheadMs === undefined || Number.isNaN(aheadMs))
    return warning(check, 'unknown', "compare it with the machine's by hand");
  const distance = `${(Math.abs(aheadMs) / 1000).toFixed(1)} s`;
  const found = `${distance} ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine${node === undefined ? '' : ` (${node})`}`;
  return Math.abs(aheadMs) <= maxClockMs
    ? ok(check, found)
    : fail(check, found, 'synchronise both with NTP');
};

/** The oldest major version of Node that still gets security fixes. */
const minMaintained = 22;

export const judgeNode = (version: string): Finding => {
  if (Number.parseInt(version.slice(1), 10) < minMaintained)
    return warning(
      'node',
      `${version}, without security fixes`,
      `use Node ${minMaintained} or later`,
    );
  return ok('node', version);
};

export const judgeSettings = (settings: Config | Error): Finding[] => {
  if (settings instanceof Error)
    return [fail('settings', settings.message, 'correct the variable')];
  const { sandbox, mode, publicUrl } = settings;
  if (sandbox !== undefined)
    return [warning('settings', sandbox, 'set NODE_ENV=production, MONGODB_URL and REDIS_URL')];
  if (mode === 'production' && publicUrl === undefined)
    return [
      warning(
        'settings',
        'without PUBLIC_URL: pages and contracts name the address it listens on',
        'set PUBLIC_URL to the address that partners use',
      ),
    ];
  return [ok('settings', 'valid')];
};

const judgePolicy = (policy: string | undefined): Finding => {
  const check = 'redis policy';
  if (policy === undefined)
    return warning(check, 'not readable', 'allow +config|get, or make sure it is noeviction');
  if (policy === 'noeviction') return ok(check, policy);
  return fail(check, `${policy}: counts may be evicted`, 'set maxmemory-policy to noeviction');
};

const judgePersistence = (persists: boolean | undefined): Finding => {
  const check = 'redis persistence';
  if (persists === undefined)
    return warning(check, 'not readable', 'allow +config|get, or check appendonly');
  if (persists) return ok(check, 'a crash gives back at most a second of counts');
  return warning(
    check,
    'off: after a crash quotas start at the last snapshot, or at 0',
    'set appendonly yes',
  );
};

export const judgeRedis = ({ uncountable, policy, persists, clock }: QuotaFindings): Finding[] => [
  uncountable === undefined
    ? ok('redis rights', 'counts and refunds')
    : fail('redis rights', uncountable.reason, uncountable.remedy),
  judgePolicy(policy),
  judgePersistence(persists),
  judgeClock('redis clock', clock.aheadMs, clock.node),
];
