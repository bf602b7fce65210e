import type { KeyRecord, Organization } from '../domain/caller.ts';
import { addDays, type Day, dayOf } from '../domain/day.ts';
import type { MinuteCount } from '../domain/usage.ts';
import { adviseOn } from './advice.ts';
import type { Allowances } from './allowances.ts';
import type { Move } from './evidence.ts';
import { type KeyReport, type KeyReportFacts, reportKey } from './key-report.ts';
import { type QuotaReport, reportQuota } from './quota-report.ts';
import { type Summary, summarise } from './verdict.ts';

/** The keys, the move, and the period (UTC days including today) of an assessment. */
export interface ReadinessQuestion {
  readonly organization: Organization;
  readonly keys: readonly KeyRecord[];
  readonly move: Move;
  readonly days: number;
  /** Epoch milliseconds, by the clock that usage is counted with. */
  readonly now: number;
}

/** The start of the usage that an assessment needs. */
interface ReadinessPeriod {
  /** First UTC day of the counts. */
  readonly since: Day;
  /** First instant of the minutes that quotas are replayed over, in epoch milliseconds. */
  readonly replayedSince: number;
}

/** The input of an assessment: the question, and the organization's usage in the period. */
export interface ReadinessFacts extends ReadinessQuestion, Pick<KeyReportFacts, 'counts' | 'artists' | 'forms'> {
  readonly minutes: readonly MinuteCount[];
  readonly allowances: Allowances;
}

/** The changes that keys of one organization need before they can move, and a replay against the new quotas. */
export interface MigrationReadiness extends Summary {
  readonly organization_id: string;
  readonly organization: string;
  readonly form: string;
  readonly since: Day;
  readonly days: number;
  /** Number of artists on the shortlist. */
  readonly artists: number;
  readonly keys: readonly (KeyReport & { readonly advice: readonly string[] })[];
  readonly quota: QuotaReport;
}

/** Full days that quotas are replayed over, beside today so far. The usage store keeps minutes for 8 days. */
const replayedDays = 7;

/** The period that a question needs usage for. */
export const readinessPeriod = ({ days, now }: Pick<ReadinessQuestion, 'days' | 'now'>): ReadinessPeriod => {
  const today = dayOf(now);
  return { since: addDays(today, 1 - days), replayedSince: Date.parse(addDays(today, -replayedDays)) };
};

/** Assesses a move of keys of one organization. */
export const assessReadiness = (facts: ReadinessFacts): MigrationReadiness => {
  const { organization, keys, move, days, now, counts, minutes, artists, forms, allowances } = facts;
  const { since, replayedSince } = readinessPeriod(facts);
  const [first] = keys;
  const quotas =
    first === undefined ? allowances.sharedBy(organization) : allowances.of({ ...first, form: move.to }, organization);
  const quota = reportQuota(minutes, quotas, { since: replayedSince, until: now });
  const reports = keys.map((key) => {
    const own = counts.filter(({ keyId }) => keyId === key.id);
    const report = reportKey({ key, organization, counts: own, move, artists, forms, now });
    return { ...report, advice: adviseOn(key, report, quota, move) };
  });
  return {
    organization_id: organization.id,
    organization: organization.name,
    form: move.to,
    since,
    days,
    artists,
    keys: reports,
    quota,
    ...summarise(reports, quota, move, days),
  };
};
