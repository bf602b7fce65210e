import type { Allowance, KeyRecord, Organization, QuotaWindow } from '../../../src/domain/caller.ts';
import { addDays, dayOf } from '../../../src/domain/day.ts';
import type { MinuteCount } from '../../../src/domain/usage.ts';
import { type QuotaReport, reportQuota } from '../../../src/migration/quota-report.ts';
import type { Allowances } from '../../../src/quota/allowances.ts';

/** Keys whose requests count together, and their quotas. */
export interface ReplayGroup {
  /** `organization:acme` or `key:3fK9sQ2xA`. */
  readonly subject: string;
  readonly keyIds: ReadonlySet<string>;
  readonly quotas: readonly Allowance[];
}

/** A replay of the requests of one group. */
export interface GroupReport extends QuotaReport {
  readonly subject: string;
}

/** The limits to replay, by window, the shortest first. */
export type GivenLimits = ReadonlyMap<QuotaWindow, number>;

/** UTC days that may be replayed, with today: the usage store keeps minutes for 8 days. */
export const maxReplayDays = 8;

/** Start of the first of these UTC days, with today, in epoch milliseconds. */
export const replayStart = (days: number, now: number): number => Date.parse(addDays(dayOf(now), 1 - days));

/** Groups an organization's keys, also those that ended, by what their requests count for; those that share come first. */
export const groupByQuota = (
  keys: readonly KeyRecord[],
  organization: Organization,
  allowances: Allowances,
): readonly ReplayGroup[] => {
  const groups = new Map<string, { keyIds: Set<string>; quotas: readonly Allowance[] }>();
  for (const key of keys) {
    const quotas = allowances.of(key, organization);
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

/** The group with other limits, of the windows that it has. */
export const withLimits = (group: ReplayGroup, given: GivenLimits): ReplayGroup => ({
  ...group,
  quotas: group.quotas.map((quota) => ({ ...quota, limit: given.get(quota.window) ?? quota.limit })),
});

/** Replays the requests of a group's keys against its quotas. */
export const replayGroup = (
  { subject, keyIds, quotas }: ReplayGroup,
  minutes: readonly MinuteCount[],
  period: { readonly since: number; readonly until: number },
): GroupReport => ({
  subject,
  ...reportQuota(
    minutes.filter(({ keyId }) => keyIds.has(keyId)),
    quotas,
    period,
  ),
});
