import { crosswalk } from '../crosswalk/crosswalk.ts';
import type { ComparedForm } from '../crosswalk/forms.ts';
import type { Parameter, ParameterRow } from '../crosswalk/rows.ts';
import type { ArtistIdentifiers } from '../domain/model.ts';
import type { UsageCount } from '../domain/usage.ts';
import { countGiven, type Move, pathOf } from './evidence.ts';

/** A request below `/api/v1`, and the status of its answer. */
export interface ExampleCall {
  readonly path: string;
  readonly status: number;
}

/** A request of the kind that a partner sends, and what to send instead; with the same request as it would be answered. */
export interface CallChange {
  readonly before: ExampleCall;
  /** The unchanged request after the move, if its answer then differs. */
  readonly unchanged?: ExampleCall;
  readonly after: ExampleCall;
  readonly remark: string;
}

interface CallFacts {
  /** Requests of the key in the form that it moves from. */
  readonly counts: readonly UsageCount[];
  readonly move: Move;
  /** An artist that exists, if there is one. */
  readonly sample: ArtistIdentifiers | undefined;
  /** Which identifier each form shows. */
  readonly identifierOf: (form: ComparedForm) => keyof ArtistIdentifiers;
}

const ok = (path: string): ExampleCall => ({ path, status: 200 });
const bad = (path: string): ExampleCall => ({ path, status: 400 });
const urlOf = ({ path, name }: Parameter, value: string | number): string => `${path}?${name}=${value}`;

/** Whether requests used a parameter in this way, such as `limit>100`. */
const isUsed = (counts: readonly UsageCount[], use: string): boolean => counts.some(({ uses }) => (uses[use] ?? 0) > 0);

/** A value that the parameter had: usage keeps those of closed lists, as `fields=basic`. */
const givenValue = (counts: readonly UsageCount[], name: string): string => {
  const use = counts.flatMap(({ uses }) => Object.keys(uses)).find((one) => one.startsWith(`${name}=`));
  return use === undefined ? 'true' : use.slice(name.length + 1);
};

const identifierChanges = ({ reason }: ParameterRow, ours: Parameter, facts: CallFacts): CallChange[] => {
  const { counts, move, sample, identifierOf } = facts;
  const nobody = urlOf(ours, 'nobody');
  const missed = counts.some(({ status }) => status === 404);
  const changes: CallChange[] = missed
    ? [{ before: { path: nobody, status: 404 }, after: ok(nobody), remark: 'An unknown identifier: an empty list.' }]
    : [];
  if (sample === undefined) return changes;
  const [given, taken] = [sample[identifierOf(move.from)], sample[identifierOf(move.to)]].map(encodeURIComponent);
  const own = ok(urlOf(ours, given ?? ''));
  return [
    {
      before: own,
      unchanged: own,
      after: ok(`${ours.path}/${taken}`),
      remark: `${reason} Unchanged it answers with an empty list.`,
    },
    ...changes,
  ];
};

const rangeChanges = (row: ParameterRow, facts: CallFacts): CallChange[] => {
  const [ours, theirs] = [row[facts.move.from], row[facts.move.to]];
  if (ours?.range === undefined || theirs?.range === undefined) return [];
  const [max, theirMax] = [ours.range.max, theirs.range.max];
  const instead = ok(urlOf(theirs, theirMax));
  const isLonger = max > theirMax && isUsed(facts.counts, `${ours.name}>${theirMax}`);
  const isRepaired = isUsed(facts.counts, `${ours.name} adjusted`);
  const change = (value: number, remark: string): CallChange[] => [
    { before: ok(urlOf(ours, value)), unchanged: bad(urlOf(theirs, value)), after: instead, remark },
  ];
  return [
    ...(isLonger ? change(max, row.reason) : []),
    ...(isRepaired ? change(max + 1, `A number out of its range is refused: 1 to ${theirMax}.`) : []),
  ];
};

/** What one row of the crosswalk changes in the requests of a key. */
const changesOf = (row: ParameterRow, all: CallFacts): CallChange[] => {
  const [ours, theirs] = [row[all.move.from], row[all.move.to]];
  const counts = all.counts.filter((count) => pathOf(count) === ours?.path);
  const facts = { ...all, counts };
  if (
    ours === undefined ||
    !counts.some((count) => countGiven(count, ours.name) > 0 || isUsed([count], `${ours.name} adjusted`))
  )
    return [];
  if (row.kind === 'derived') return identifierChanges(row, ours, facts);
  if (theirs === undefined) {
    const path = urlOf(ours, givenValue(counts, ours.name));
    return [{ before: ok(path), unchanged: bad(path), after: ok(ours.path), remark: row.reason }];
  }
  if (theirs.path === ours.path && theirs.name === ours.name) return rangeChanges(row, facts);
  const value = theirs.range?.default ?? 1;
  const before = urlOf(ours, value);
  return [{ before: ok(before), unchanged: bad(before), after: ok(urlOf(theirs, value)), remark: row.reason }];
};

const isAnswered = ({ status }: UsageCount): boolean => status < 400;

/** Requests of the kinds that a key sends, with what to send instead after the move. Each is answered as it says. */
export const exampleCalls = (facts: CallFacts): readonly CallChange[] => {
  const answered = new Set(facts.counts.filter(isAnswered).map(pathOf));
  const kept = crosswalk.paths.flatMap((row) => {
    const [before, after] = [row[facts.move.from], row[facts.move.to]];
    if (before === undefined || after === undefined || !answered.has(before) || before.includes('{')) return [];
    return [{ before: ok(before), after: ok(after), remark: row.reason }];
  });
  return [...kept, ...crosswalk.parameters.flatMap((row) => changesOf(row, facts))];
};
