import type { KeyRecord, Organization } from '../../src/domain/caller.ts';
import { type Day, dayOf } from '../../src/domain/day.ts';
import { type FormFacts, factsOfForm } from '../../src/domain/form-facts.ts';
import { groupBy } from '../../src/domain/groups.ts';
import { formatInstant } from '../../src/domain/quantities.ts';
import type { UsageCount } from '../../src/domain/usage.ts';
import { stateOf } from '../../src/keys/key-policy.ts';
import { pinError, pinRemarks } from '../../src/keys/pinning.ts';
import { findBehaviours, findErrors } from './behaviours.ts';
import { callsADay } from './daily-calls.ts';
import { type Move, pathOf, requestedMove, sumOccurrences } from './evidence.ts';
import { mapping } from './mapping/mapping.ts';
import { findMembers } from './members.ts';
import { findParameters } from './parameters.ts';
import { furtherRequests } from './requests-after.ts';
import { countUnnamed, findCalls } from './seen-calls.ts';

/** The input of a report. */
export interface KeyReportFacts {
  readonly key: KeyRecord;
  readonly organization: Organization;
  /** Usage of this key. */
  readonly counts: readonly UsageCount[];
  readonly move: Move;
  /** Number of artists on the shortlist. */
  readonly artists: number;
  readonly forms: readonly FormFacts[];
  /** The members that its program reads, `artists.photo`; `undefined` where that is not known. */
  readonly reads?: ReadonlySet<string> | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * The paths that were requested, `undefined` for those that match no route, each with the path for
 * the same in the other form.
 */
const findPaths = (counts: readonly UsageCount[], { from, to }: Move) =>
  [...groupBy(counts, pathOf)].map(([path, onPath]) => ({
    path,
    instead: path === undefined ? undefined : mapping.paths.find((row) => row[from] === path)?.[to],
    ...sumOccurrences(onPath),
  }));

const total = (counts: readonly UsageCount[]): number => sumOccurrences(counts).requests;

const firstDay = (counts: readonly UsageCount[]): Day | undefined =>
  counts.map(({ day }) => day).sort()[0];

/** Epoch milliseconds. */
export const lastInstant = (counts: readonly UsageCount[]): number | undefined =>
  counts.length === 0 ? undefined : Math.max(...counts.map(({ lastAt }) => lastAt));

/**
 * The changes that one partner has to make before its key can move to the other form, by its usage.
 */
export const reportKey = ({
  key,
  organization,
  counts,
  move,
  artists,
  forms,
  reads,
  now,
}: KeyReportFacts) => {
  const asked = counts.filter(({ form }) => form === move.from);
  const tried = counts.filter(({ form }) => form === move.to);
  const calls = findCalls(asked, move);
  const findings = {
    paths: findPaths(asked, move),
    parameters: findParameters(asked, move, artists),
    behaviours: move.from === 'variant' ? findBehaviours(asked, calls) : [],
    members: findMembers(asked, key.scopes, move, (name) => reads?.has(name) ?? true),
    /** Those that its program does not read. */
    members_not_read:
      reads === undefined ? [] : findMembers(asked, key.scopes, move, (name) => !reads.has(name)),
  };
  const removedPaths = findings.paths.filter(
    ({ path, instead }) => path !== undefined && instead === undefined,
  );
  const further = move.from === requestedMove.from ? furtherRequests(calls, artists) : 0;
  const target = factsOfForm(forms, move.to);
  const obstacle = key.form === move.to ? undefined : pinError(key, target, now);
  return {
    key: key.id,
    partner: key.partner,
    form: key.form,
    state: stateOf(key, organization, now),
    /** In the form it leaves. */
    requests: total(asked),
    first_day: firstDay(asked),
    last_at: formatInstant(lastInstant(asked)),
    calls,
    /** Requests that were answered and are none of these calls. */
    unnamed: countUnnamed(asked, calls, move),
    calls_a_day: callsADay(counts, dayOf(now)),
    /** After the move, at most: what the replay counts against the quota. */
    calls_a_day_after: callsADay(counts, dayOf(now), further),
    /** In the form it moves to, and how many of these requests were answered with 4xx. */
    tried: {
      requests: total(tried),
      refused: total(tried.filter(({ status }) => status >= 400 && status < 500)),
    },
    ...findings,
    errors: findErrors(asked, move),
    /** Number of things to change. */
    changes:
      removedPaths.length +
      findings.parameters.length +
      findings.behaviours.length +
      findings.members.length,
    remarks: [...(obstacle === undefined ? [] : [obstacle]), ...pinRemarks(key, target, now)],
  };
};

export type KeyReport = Readonly<ReturnType<typeof reportKey>>;
