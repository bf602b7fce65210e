import type { KeyRecord, Organization } from '../../src/domain/caller.ts';
import { dayOf, daysBetween } from '../../src/domain/day.ts';
import { groupBy } from '../../src/domain/groups.ts';
import { formatInstant } from '../../src/domain/quantities.ts';
import type { UsageCount } from '../../src/domain/usage.ts';
import { inactiveReason, runningTrial } from '../../src/keys/key-policy.ts';
import { isNearSunset } from '../../src/keys/near-sunset.ts';
import { assessMove, type MoveAssessment, type MoveFacts, reportedPeriod } from './assess.ts';
import { requestedMove, sumOccurrences } from './evidence.ts';
import { type KeyReport, lastInstant } from './key-report.ts';
import { summarise, type Verdict } from './verdict.ts';

/**
 * Keys, organizations and usage of all of them, to assess the move of every key that is pinned to
 * the form left.
 */
interface StatusFacts extends Omit<MoveFacts, 'organization'> {
  readonly organizations: readonly Organization[];
}

export const statusSteps = [
  'move it',
  'raise the quota',
  'send the guide',
  'ask if it is used',
] as const;

type StatusStep = (typeof statusSteps)[number];

const stepOf = (verdict: Verdict): StatusStep => {
  if (verdict === 'ready') return 'move it';
  if (verdict === 'would exceed quota') return 'raise the quota';
  return verdict === 'unknown' ? 'ask if it is used' : 'send the guide';
};

const toRow = (
  key: KeyRecord,
  counts: readonly UsageCount[],
  report: KeyReport,
  move: MoveAssessment,
  facts: StatusFacts,
) => {
  const { organizationId, id, partner, sunset } = key;
  const { days, now, forms } = facts;
  const { organization, quota } = move;
  const lastAt = lastInstant(counts);
  const trial = runningTrial(key, now);
  const daysLeft = sunset === undefined ? undefined : daysBetween(dayOf(now), sunset);
  const summary = summarise([report], quota, days);
  return {
    organization_id: organizationId,
    organization,
    key: id,
    partner,
    state: report.state,
    next: stepOf(summary.verdict),
    /** True if its sunset has passed or is near while it still calls: such keys come first. */
    urgent: isNearSunset(key, lastAt, forms, now),
    ...summary,
    requests: report.requests,
    tried: report.tried,
    calls_a_day: report.calls_a_day,
    changes: report.changes,
    /** Requests of all keys that share its quota after the move. */
    would_refuse: quota.would_refuse,
    last_at: formatInstant(lastAt),
    /** The form that it is served in for a while, and until when. */
    trial: trial && { form: trial.form, until: formatInstant(trial.until) },
    sunset,
    days_left: daysLeft,
  };
};

export type StatusRow = Readonly<ReturnType<typeof toRow>>;

/**
 * Assesses every active key of the form left. A move counts against the organization's quota, so
 * each organization is replayed once.
 */
const assessKeys = (facts: StatusFacts) => {
  const pinned = facts.keys.filter(
    (key) => key.form === requestedMove.from && inactiveReason(key, facts.now) === undefined,
  );
  const keys = groupBy(pinned, ({ organizationId }) => organizationId);
  const { since } = reportedPeriod(facts);
  const counts = groupBy(facts.counts, ({ organizationId }) => organizationId);
  const minutes = groupBy(facts.minutes, ({ organizationId }) => organizationId);
  return facts.organizations.flatMap((organization) => {
    const own = keys.get(organization.id);
    if (own === undefined) return [];
    const counted = counts.get(organization.id) ?? [];
    const move = assessMove({
      ...facts,
      organization,
      keys: own,
      counts: counted,
      minutes: minutes.get(organization.id) ?? [],
    });
    return own.flatMap((key, index) => {
      const report = move.keys[index];
      const inPeriod = counted.filter(({ keyId, day }) => keyId === key.id && day >= since);
      return report === undefined ? [] : [toRow(key, inPeriod, report, move, facts)];
    });
  });
};

/**
 * Keys with a near sunset, the nearest first; then by the next step, those with the most calls
 * first.
 */
const byNextStep = (left: StatusRow, right: StatusRow): number =>
  Number(right.urgent) - Number(left.urgent) ||
  (left.urgent ? (left.days_left ?? 0) - (right.days_left ?? 0) : 0) ||
  statusSteps.indexOf(left.next) - statusSteps.indexOf(right.next) ||
  right.calls_a_day - left.calls_a_day ||
  left.key.localeCompare(right.key);

/** Assesses the move of all pinned keys, sorted by what to do next. */
export const assessStatus = (facts: StatusFacts) => {
  const { since } = reportedPeriod(facts);
  const { to: form } = requestedMove;
  const counts = facts.counts.filter(({ day }) => day >= since);
  const all = sumOccurrences(counts).requests;
  const moved = sumOccurrences(counts.filter((count) => count.form === form)).requests;
  return {
    form,
    since,
    days: facts.days,
    keys: assessKeys(facts).sort(byNextStep),
    /** Of the requests of all keys, in the form that they move to, with one decimal. */
    share_percent: all === 0 ? undefined : Math.round((moved / all) * 1_000) / 10,
  };
};

export type StatusReport = Readonly<ReturnType<typeof assessStatus>>;

/** How many keys have each next step, in the order of the list, without those that no key has. */
export const countSteps = (keys: readonly StatusRow[]): (readonly [StatusStep, number])[] =>
  statusSteps
    .map((step) => [step, keys.filter(({ next }) => next === step).length] as const)
    .filter(([, count]) => count > 0);
