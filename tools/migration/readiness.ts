import type { KeyRecord, Organization } from '../../src/domain/caller.ts';
import { addDays, dayOf } from '../../src/domain/day.ts';
import type { MinuteCount } from '../../src/domain/usage.ts';
import type { Allowances } from './allowances.ts';
import type { Move } from './evidence.ts';
import { type KeyReportFacts, reportKey } from './key-report.ts';
import { reportQuota } from './quota-report.ts';
import { requestsAfter } from './requests-after.ts';
import { adviseOn, summarise } from './verdict.ts';

/** The keys, the move, and the period (UTC days including today) of an assessment. */
export interface ReadinessQuestion {
  readonly organization: Organization;
  readonly keys: readonly KeyRecord[];
  readonly move: Move;
  readonly days: number;
  /** Epoch milliseconds, by the clock that usage is counted with. */
  readonly now: number;
}

/**
 * The input of an assessment: the question, and the usage of its keys and their organization since
 * the instants of `readinessPeriod`.
 */
export interface ReadinessFacts
  extends ReadinessQuestion,
    Pick<KeyReportFacts, 'counts' | 'artists' | 'forms' | 'reads'> {
  readonly minutes: readonly MinuteCount[];
  readonly allowances: Allowances;
}

/**
 * Full days that quotas are replayed over, beside today so far. The usage store keeps minutes for 8
 * days.
 */
const replayedDays = 7;

/**
 * The period of a question: the first UTC day that it is about; the first day that counts are
 * needed of, since a replay looks at the calls of a day too; and the first instant of the minutes
 * that quotas are replayed over, in epoch milliseconds.
 */
export const readinessPeriod = ({ days, now }: Pick<ReadinessQuestion, 'days' | 'now'>) => {
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
export const assessReadiness = (facts: ReadinessFacts) => {
  const {
    organization,
    keys,
    move,
    days,
    now,
    counts,
    minutes,
    artists,
    forms,
    reads,
    allowances,
  } = facts;
  const { since, replayedSince } = readinessPeriod(facts);
  const [first] = keys;
  const quotas =
    first === undefined
      ? allowances.sharedBy(organization)
      : allowances.of({ ...first, form: move.to }, organization);
  const asked = requestsAfter(minutes, counts, move, artists);
  const quota = reportQuota(asked, quotas, { since: replayedSince, until: now });
  const reports = keys.map((key) => {
    const own = counts.filter(({ keyId, day }) => keyId === key.id && day >= since);
    const facts = { organization, move, artists, forms, reads, now };
    const report = reportKey({ key, counts: own, ...facts });
    return { ...report, advice: adviseOn(key, report, quota, move) };
  });
  return {
    organization_id: organization.id,
    organization: organization.name,
    form: move.to,
    since,
    days,
    /** On the shortlist. */
    artists,
    keys: reports,
    quota,
    ...summarise(reports, quota, move, days),
  };
};

export type MigrationReadiness = Readonly<ReturnType<typeof assessReadiness>>;
