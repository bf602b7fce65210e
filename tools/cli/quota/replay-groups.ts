import type { Allowance, KeyRecord, Organization } from '../../../src/domain/caller.ts';
import { addDays, dayOf } from '../../../src/domain/day.ts';
import { keyAt } from '../../../src/keys/pinning.ts';
import { type QuotaReport, reportQuota } from '../../migration/quota-report.ts';
import type { Context } from '../context.ts';
import { allowances } from '../policy.ts';

export interface ReplayGroup {
  readonly subject: string;
  readonly keyIds: ReadonlySet<string>;
  readonly quotas: readonly Allowance[];
}

export interface GroupReport extends QuotaReport {
  readonly subject: string;
}

/** UTC days that may be replayed, with today: the usage store keeps minutes for 8 days. */
export const maxReplayDays = 8;

/**
 * Groups an organization's keys, also those that ended, by what their requests count for at an
 * instant (epoch milliseconds); those that share come first.
 */
export const groupByQuota = (
  keys: readonly KeyRecord[],
  organization: Organization,
  now: number,
): readonly ReplayGroup[] => {
  const groups = new Map<string, { keyIds: Set<string>; quotas: readonly Allowance[] }>();
  for (const key of keys) {
    const quotas = allowances.of(keyAt(key, now), organization);
    for (const { subject } of quotas) {
      const group = groups.get(subject) ?? { keyIds: new Set(), quotas };
      groups.set(subject, group);
      group.keyIds.add(key.id);
    }
  }
  const shared = `organization:${organization.id}`;
  return [...groups]
    .map(([subject, group]) => ({ subject, ...group }))
    .sort((left, right) => Number(right.subject === shared) - Number(left.subject === shared));
};

/**
 * Loads an organization's minutes of these UTC days, with today, and replays those of each group
 * against its quotas.
 */
export const replayGroups = async (
  { usage, usageNow }: Pick<Context, 'usage' | 'usageNow'>,
  organizationId: string,
  groups: readonly ReplayGroup[],
  days: number,
): Promise<readonly GroupReport[]> => {
  const until = usageNow();
  const since = Date.parse(addDays(dayOf(until), 1 - days));
  const minutes = await usage.loadMinutes(organizationId, since);
  return groups.map(({ subject, keyIds, quotas }) => {
    const own = minutes.filter(({ keyId }) => keyIds.has(keyId));
    return { subject, ...reportQuota(own, quotas, { since, until }) };
  });
};
