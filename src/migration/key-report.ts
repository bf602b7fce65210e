import { crosswalk } from '../crosswalk/crosswalk.ts';
import type { KeyRecord, Organization } from '../domain/caller.ts';
import type { Day } from '../domain/day.ts';
import { type FormFacts, factsOfForm } from '../domain/form-facts.ts';
import { groupBy } from '../domain/groups.ts';
import { formatInstant } from '../domain/quantities.ts';
import type { ComparedAnswers, UsageCount } from '../domain/usage.ts';
import { stateOf } from '../keys/key-policy.ts';
import { pinError, pinRemarks } from '../keys/pinning.ts';
import { type BehaviourFinding, findBehaviours } from './behaviours.ts';
import { type ErrorFinding, findErrors } from './errors.ts';
import { allRequests, type Move, type Occurrences, pathOf, sumOccurrences } from './evidence.ts';
import { findMembers, type MemberFinding } from './members.ts';
import { findParameters, type ParameterFinding } from './parameters.ts';

/** A path that was requested, and the path for the same in the other form. */
interface PathFinding extends Occurrences {
  /** `undefined` for requests that match no route. */
  readonly path: string | undefined;
  readonly instead: string | undefined;
}

/** The changes that one partner has to make before its key can move to the other form, by its usage. */
export interface KeyReport {
  readonly key: string;
  readonly partner: string;
  readonly form: string;
  readonly state: string;
  /** Requests in the form it leaves. */
  readonly requests: number;
  readonly first_day: Day | undefined;
  readonly last_at: string | undefined;
  /** Requests already served in the form it moves to, and how many of them were answered with 4xx. */
  readonly tried: { readonly requests: number; readonly refused: number };
  /** Answers that were compared with the other form in production, and the first day of them. */
  readonly compared: ComparedAnswers & { readonly since: Day | undefined };
  readonly paths: readonly PathFinding[];
  readonly parameters: readonly ParameterFinding[];
  readonly behaviours: readonly BehaviourFinding[];
  readonly members: readonly MemberFinding[];
  readonly errors: readonly ErrorFinding[];
  /** Number of things to change. */
  readonly changes: number;
  readonly remarks: readonly string[];
}

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
  /** Epoch milliseconds. */
  readonly now: number;
}

const findPaths = (counts: readonly UsageCount[], { from, to }: Move): PathFinding[] =>
  [...groupBy(counts, pathOf)].map(([path, onPath]) => ({
    path,
    instead: path === undefined ? undefined : crosswalk.paths.find((row) => row[from] === path)?.[to],
    ...sumOccurrences(onPath, allRequests),
  }));

const total = (counts: readonly UsageCount[]): number => sumOccurrences(counts, allRequests).requests;

const lastOf = (counts: readonly UsageCount[]): string | undefined =>
  counts.length === 0 ? undefined : formatInstant(Math.max(...counts.map(({ lastAt }) => lastAt)));

const findCompared = (counts: readonly UsageCount[]): KeyReport['compared'] => {
  const compared = counts.filter((count) => count.compared !== undefined);
  const sum = (part: keyof ComparedAnswers): number =>
    compared.reduce((total, count) => total + (count.compared?.[part] ?? 0), 0);
  return { answers: sum('answers'), differed: sum('differed'), since: compared.map(({ day }) => day).sort()[0] };
};

/** Compares the usage of one key with the paths, parameters and members of the other form. */
export const reportKey = ({ key, organization, counts, move, artists, forms, now }: KeyReportFacts): KeyReport => {
  const asked = counts.filter(({ form }) => form === move.from);
  const tried = counts.filter(({ form }) => form === move.to);
  const findings = {
    paths: findPaths(asked, move),
    parameters: findParameters(asked, move, artists),
    behaviours: move.from === 'variant' ? findBehaviours(asked) : [],
    members: findMembers(asked, key.scopes, move),
  };
  const removedPaths = findings.paths.filter(({ path, instead }) => path !== undefined && instead === undefined);
  const target = factsOfForm(forms, move.to);
  const obstacle = key.form === move.to ? undefined : pinError(key, target, now);
  return {
    key: key.id,
    partner: key.partner,
    form: key.form,
    state: stateOf(key, organization, now),
    requests: total(asked),
    first_day: asked.map(({ day }) => day).sort()[0],
    last_at: lastOf(asked),
    tried: { requests: total(tried), refused: total(tried.filter(({ status }) => status >= 400 && status < 500)) },
    compared: findCompared(counts),
    ...findings,
    errors: findErrors(asked, move),
    changes: removedPaths.length + findings.parameters.length + findings.behaviours.length + findings.members.length,
    remarks: [...(obstacle === undefined ? [] : [obstacle]), ...pinRemarks(key, target, now)],
  };
};
