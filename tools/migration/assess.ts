import type { Allowance, KeyRecord, Organization } from '../../src/domain/caller.ts';
import { addDays, dayOf } from '../../src/domain/day.ts';
import type { MinuteCount } from '../../src/domain/usage.ts';
import { requestedMove } from './evidence.ts';
import { type KeyReportFacts, reportKey } from './key-report.ts';
import { reportQuota } from './quota-report.ts';
import { requestsAfter } from './requests-after.ts';
import { summarise } from './verdict.ts';

export interface MoveQuery {
  readonly organization: Organization;
  readonly keys: readonly KeyRecord[];
  readonly days: number;
  /** Epoch milliseconds, by the clock that usage is counted with. */
  readonly now: number;
}

/** The quotas of keys: of one, or those that all keys of an organization share. */
export interface Allowances {
  of(key: KeyRecord, organization: Organization): readonly Allowance[];
  sharedBy(organization: Organization): readonly Allowance[];
}

/** The query, and the usage of its organization since the instants of `reportedPeriod`. */
export interface MoveFacts extends MoveQuery, Pick<KeyReportFacts, 'counts' | 'artists' | 'forms'> {
  readonly minutes: readonly MinuteCount[];
  readonly allowances: Allowances;
}

/** Full days of a replay before today. The usage store keeps minutes for 8 days. */
const replayedDays = 7;

/**
 * The first UTC day of a report; the first day that counts are needed of, since a replay looks at
 * the calls of a day too; and the first instant of a replay, in epoch milliseconds.
 */
export const reportedPeriod = ({ days, now }: Pick<MoveQuery, 'days' | 'now'>) => {
  const today = dayOf(now);
  return {
    since: addDays(today, 1 - days),
    countsSince: addDays(today, Math.min(1 - days, -replayedDays)),
    replayedSince: Date.parse(addDays(today, -replayedDays)),
  };
};

/**
 * Assesses a move of keys of one organization: what each has to change, and a replay against the
 * new quotas.
 */
export const assessMove = (facts: MoveFacts) => {
  const { organization, keys, days, now, counts, minutes, artists, forms, allowances } = facts;
  const { since, replayedSince } = reportedPeriod(facts);
  const [first] = keys;
  const quotas =
    first === undefined
      ? allowances.sharedBy(organization)
      : allowances.of({ ...first, form: requestedMove.to }, organization);
  const asked = requestsAfter(minutes, counts, artists);
  const quota = reportQuota(asked, quotas, { since: replayedSince, until: now });
  const reports = keys.map((key) => {
    const own = counts.filter(({ keyId, day }) => keyId === key.id && day >= since);
    return reportKey({ key, counts: own, organization, artists, forms, now });
  });
  return {
    organization_id: organization.id,
    organization: organization.name,
    form: requestedMove.to,
    since,
    days,
    /** On the shortlist. */
    artists,
    keys: reports,
    quota,
    ...summarise(reports, quota, days),
  };
};

export type MoveAssessment = Readonly<ReturnType<typeof assessMove>>;
