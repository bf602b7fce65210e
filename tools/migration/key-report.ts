import type { KeyRecord, Organization } from '../../src/domain/caller.ts';
import { type Day, dayOf } from '../../src/domain/day.ts';
import { type FormFacts, factsOfForm } from '../../src/domain/form-facts.ts';
import { groupBy } from '../../src/domain/groups.ts';
import { formatInstant } from '../../src/domain/quantities.ts';
import type { UsageCount } from '../../src/domain/usage.ts';
import { stateOf } from '../../src/keys/key-policy.ts';
import { pinError, pinWarnings } from '../../src/keys/pinning.ts';
import { isSameCall, planCall, targetOf } from './call-plan.ts';
import { countUnnamed, findCalls, type SeenCall } from './calls.ts';
import { callsADay, pathOf, requestedMove, sumOccurrences } from './evidence.ts';
import { findFields } from './fields.ts';
import { mapping } from './mapping/mapping.ts';
import { furtherRequests } from './requests-after.ts';

/** The input of a report. */
export interface KeyReportFacts {
  readonly key: KeyRecord;
  readonly organization: Organization;
  /** Usage of this key. */
  readonly counts: readonly UsageCount[];
  /** Number of artists on the shortlist. */
  readonly artists: number;
  readonly forms: readonly FormFacts[];
  /** Epoch milliseconds. */
  readonly now: number;
}

const { from, to } = requestedMove;

const anyArtist = { fromId: 'OLD_ID', toId: 'NEW_ID' };

/** A call with what to send instead; `instead` is `undefined` if it stays the same. */
const planned = (call: SeenCall, today: Day) => {
  const target = targetOf(call, anyArtist);
  const plan = planCall(target, today, anyArtist);
  return { ...call, instead: isSameCall(target, plan) ? undefined : (plan.target ?? 'nothing') };
};

const findErrors = (counts: readonly UsageCount[]) =>
  [...groupBy(counts, ({ status }) => status)]
    .map(([status, all]) => ({
      status,
      received: status === 404 ? all.filter((count) => pathOf(count) === undefined) : all,
    }))
    .filter(({ status, received }) => status >= 400 && received.length > 0)
    .sort((one, other) => one.status - other.status)
    .map(({ status, received }) => {
      const entries = mapping.problems.flatMap((row) =>
        row[from]?.status === status ? (row[to] ?? []) : [],
      );
      const instead = [...new Set(entries.map((entry) => `${entry.status} ${entry.code}`))];
      return { status, instead, ...sumOccurrences(received) };
    });

const total = (counts: readonly UsageCount[]): number => sumOccurrences(counts).requests;

/** Epoch milliseconds. */
export const lastInstant = (counts: readonly UsageCount[]): number | undefined =>
  counts.length === 0 ? undefined : Math.max(...counts.map(({ lastAt }) => lastAt));

/**
 * The changes that one partner has to make before its key can move to the other form, by its usage.
 */
export const reportKey = ({ key, organization, counts, artists, forms, now }: KeyReportFacts) => {
  const asked = counts.filter(({ form }) => form === from);
  const tried = counts.filter(({ form }) => form === to);
  const today = dayOf(now);
  const calls = findCalls(asked);
  const plans = calls.map((call) => planned(call, today));
  const fields = findFields(asked, key.scopes);
  const target = factsOfForm(forms, to);
  const obstacle = key.form === to ? undefined : pinError(key, target, now);
  return {
    key: key.id,
    partner: key.partner,
    form: key.form,
    state: stateOf(key, organization, now),
    requests: total(asked),
    first_day: asked.map(({ day }) => day).sort()[0],
    last_at: formatInstant(lastInstant(asked)),
    paths: [...new Set(asked.flatMap((count) => pathOf(count) ?? []))],
    calls: plans,
    unnamed: countUnnamed(asked, calls),
    calls_a_day: callsADay(counts, today),
    /** After the move, at most: what the replay counts against the quota. */
    calls_a_day_after: callsADay(counts, today, furtherRequests(calls, artists)),
    /** In the form that it moves to, and how many of these requests got 4xx. */
    tried: {
      requests: total(tried),
      refused: total(tried.filter(({ status }) => status >= 400 && status < 500)),
    },
    fields,
    errors: findErrors(asked),
    changes: plans.filter(({ instead }) => instead !== undefined).length + fields.length,
    warnings: [...(obstacle === undefined ? [] : [obstacle]), ...pinWarnings(key, target, now)],
  };
};

export type KeyReport = Readonly<ReturnType<typeof reportKey>>;
