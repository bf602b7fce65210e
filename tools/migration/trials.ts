import type { AuditRecord } from '../../src/domain/audit.ts';
import type { FormName } from '../../src/domain/caller.ts';
import { type Day, dayOf } from '../../src/domain/day.ts';
import { groupBy } from '../../src/domain/groups.ts';
import { formatInstant } from '../../src/domain/quantities.ts';
import type { UsageCount } from '../../src/domain/usage.ts';
import { sumOccurrences } from './evidence.ts';

/** A trial as an audit record has it, and when it began and was to end, in epoch milliseconds. */
interface AuditedTrial {
  readonly form: FormName;
  readonly from: number;
  readonly until: number;
}

/** The trial that a change began; `undefined` for every other change. */
const trialIn = ({ at, after }: AuditRecord): AuditedTrial | undefined => {
  const stored: unknown = after?.['trial'];
  if (typeof stored !== 'object' || stored === null) return undefined;
  const { form, until }: { readonly form?: unknown; readonly until?: unknown } = stored;
  return typeof form === 'string' && until instanceof Date
    ? { form, from: at, until: until.getTime() }
    : undefined;
};

const changesTrial = ({ before, after }: AuditRecord): boolean =>
  before?.['trial'] !== undefined || after?.['trial'] !== undefined;

const answersIn = (counts: readonly UsageCount[]) =>
  [...groupBy(counts, ({ form, status }) => `${form} ${status}`).values()].map((same) => {
    const [{ form, status }] = same;
    return { form, status, requests: sumOccurrences(same).requests };
  });

/** The parameters of requests that were answered with 400, each with how many of them had it. */
const refusedParameters = (counts: readonly UsageCount[]) => {
  const refused = new Map<string, number>();
  for (const { status, uses } of counts) {
    if (status !== 400) continue;
    for (const [use, times] of Object.entries(uses)) {
      const [name] = /^\w+/.exec(use) ?? [];
      if (name !== undefined) refused.set(name, (refused.get(name) ?? 0) + times);
    }
  }
  return [...refused].map(([parameter, requests]) => ({ parameter, requests }));
};

/**
 * The trials of a key, from its audit log, oldest first: when each ran, what the key's requests of
 * these UTC days were answered in each form, and the parameters of those that were refused.
 *
 * @param counts of the key
 * @param since first day of the report; requests of earlier days are left out
 */
export const reportTrials = (
  records: readonly AuditRecord[],
  counts: readonly UsageCount[],
  since: Day,
) => {
  const changes = records.filter(changesTrial);
  const counted = counts.filter(({ day }) => day >= since);
  return changes.flatMap((record, index) => {
    const trial = trialIn(record);
    if (trial === undefined) return [];
    const end = Math.min(trial.until, changes[index + 1]?.at ?? Number.POSITIVE_INFINITY);
    const [first, last] = [dayOf(trial.from), dayOf(end)];
    const onDays = counted.filter(({ day }) => day >= first && day <= last);
    return {
      form: trial.form,
      from: formatInstant(trial.from),
      until: formatInstant(end),
      ended_early: end < trial.until,
      /** The first day whose requests are counted, where the trial began before that. */
      counted_since: first < since ? since : undefined,
      answers: answersIn(onDays),
      refused: refusedParameters(onDays.filter(({ form }) => form === trial.form)),
    };
  });
};

export type TrialReport = ReturnType<typeof reportTrials>[number];
