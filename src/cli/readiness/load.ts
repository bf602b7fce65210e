import { countArtists } from '../../../adapters/mongodb/identifiers.ts';
import { loadMinutes, loadUsage } from '../../../adapters/mongodb/usage.ts';
import type { KeyRecord, Organization } from '../../caller.ts';
import { addDays, type Day, dayOf } from '../../day.ts';
import type { Allowances } from '../allowances.ts';
import type { Database } from '../open-database.ts';
import { adviseOn } from './advice.ts';
import { type KeyReport, reportKey } from './key.ts';
import { type QuotaReport, reportQuota } from './quota.ts';
import type { Move } from './seen.ts';
import { type Judgement, judge } from './verdict.ts';

/** What keys of one organization have to change before they can move, and what their quotas would be. */
export interface Readiness extends Judgement {
  readonly organization_id: string;
  readonly organization: string;
  readonly form: string;
  readonly since: Day;
  readonly days: number;
  /** How long the shortlist is. */
  readonly artists: number;
  readonly keys: readonly (KeyReport & { readonly advice: readonly string[] })[];
  readonly quota: QuotaReport;
}

/** Whose readiness is asked, for which move, and over how many UTC days, today among them. */
export interface ReadinessQuestion {
  readonly organization: Organization;
  readonly keys: readonly KeyRecord[];
  readonly move: Move;
  readonly days: number;
  readonly now: number;
}

/** Full days that quotas are replayed over, beside today so far: minutes are kept no longer. */
const replayedDays = 7;

/** Reads what an organization's keys used, and tells what that means for a move. */
export const loadReadiness = async (
  db: Database,
  allowances: Allowances,
  { organization, keys, move, days, now }: ReadinessQuestion,
): Promise<Readiness> => {
  const today = dayOf(now);
  const [since, replayedFrom] = [addDays(today, 1 - days), Date.parse(addDays(today, -replayedDays))];
  const [counts, minutes, artists] = await Promise.all([
    loadUsage(db, since, organization.id),
    loadMinutes(db, organization.id, replayedFrom),
    countArtists(db),
  ]);
  const [first] = keys;
  const quotas =
    first === undefined ? allowances.sharedBy(organization) : allowances.of({ ...first, form: move.to }, organization);
  const quota = reportQuota(minutes, quotas, { since: replayedFrom, until: now });
  const reports = keys.map((key) => {
    const own = counts.filter(({ keyId }) => keyId === key.id);
    const report = reportKey({ key, organization, counts: own, move, artists, now });
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
    ...judge(reports, quota, move, days),
  };
};
