import type { KeyRecord, Organization } from '../../../src/domain/caller.ts';
import { addDays, type Day, dayOf } from '../../../src/domain/day.ts';
import { adviseOn } from '../../../src/migration/advice.ts';
import type { Move } from '../../../src/migration/evidence.ts';
import { type KeyReport, reportKey } from '../../../src/migration/key-report.ts';
import { type QuotaReport, reportQuota } from '../../../src/migration/quota-report.ts';
import { type Summary, summarise } from '../../../src/migration/verdict.ts';
import type { Allowances } from '../../../src/quota/allowances.ts';
import { countArtists } from '../../stores/mongodb/identifiers.ts';
import { loadMinutes, loadUsage } from '../../stores/mongodb/usage.ts';
import type { Database } from '../open-database.ts';

/** What keys of one organization have to change before they can move, and what their quotas would be. */
export interface MigrationReadiness extends Summary {
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
): Promise<MigrationReadiness> => {
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
    ...summarise(reports, quota, move, days),
  };
};
