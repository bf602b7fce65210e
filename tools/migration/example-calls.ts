import type { ArtistIdentifiers } from '../../src/domain/model.ts';
import type { UsageCount } from '../../src/domain/usage.ts';
import { crosswalk } from '../crosswalk/crosswalk.ts';
import type { ComparedForm } from '../crosswalk/forms.ts';
import { countOccurrences, givenAs, type Move, pathOf } from './evidence.ts';
import { hasSameName, type ParameterMove, parameterMoves, queryOf } from './parameters.ts';

/** A request below `/api/v1`, and the status of its answer. */
export interface ExampleCall {
  readonly path: string;
  readonly status: number;
}

/**
 * A request of the kind that a partner sends, and what to send instead; with the same request as it
 * would be answered.
 */
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

/** Whether requests used a parameter in this way, such as `limit>100`. */
const isUsed = (counts: readonly UsageCount[], use: string): boolean =>
  counts.some(({ uses }) => (uses[use] ?? 0) > 0);

/** A value that the parameter had: usage keeps those of closed lists, as `fields=basic`. */
const givenValue = (counts: readonly UsageCount[], name: string): string => {
  const use = counts
    .flatMap(({ uses }) => Object.keys(uses))
    .find((one) => one.startsWith(`${name}=`));
  return use === undefined ? 'true' : use.slice(name.length + 1);
};

const identifierChanges = (
  { row, ours, counts }: ParameterMove,
  facts: CallFacts,
): CallChange[] => {
  const { move, sample, identifierOf } = facts;
  const nobody = queryOf(ours, 'nobody');
  const missed = counts.some(({ status }) => status === 404);
  const changes: CallChange[] = missed
    ? [
        {
          before: { path: nobody, status: 404 },
          after: ok(nobody),
          remark: 'An unknown identifier: an empty list.',
        },
      ]
    : [];
  if (sample === undefined) return changes;
  const [given, taken] = [sample[identifierOf(move.from)], sample[identifierOf(move.to)]].map(
    encodeURIComponent,
  );
  const own = ok(queryOf(ours, given ?? ''));
  return [
    {
      before: own,
      unchanged: own,
      after: ok(`${ours.path}/${taken}`),
      remark: `${row.reason} Unchanged it answers with an empty list.`,
    },
    ...changes,
  ];
};

const rangeChanges = ({ row, ours, theirs, counts }: ParameterMove): CallChange[] => {
  if (ours.range === undefined || theirs?.range === undefined) return [];
  const [max, theirMax] = [ours.range.max, theirs.range.max];
  const instead = ok(queryOf(theirs, theirMax));
  const isLonger = max > theirMax && isUsed(counts, `${ours.name}>${theirMax}`);
  const isRepaired = isUsed(counts, `${ours.name} adjusted`);
  const change = (value: number, remark: string): CallChange[] => [
    {
      before: ok(queryOf(ours, value)),
      unchanged: bad(queryOf(theirs, value)),
      after: instead,
      remark,
    },
  ];
  return [
    ...(isLonger ? change(max, row.reason) : []),
    ...(isRepaired
      ? change(max + 1, `A number out of its range is refused: 1 to ${theirMax}.`)
      : []),
  ];
};

/** What a parameter that was sent changes in the requests of a key. */
const changesOf = (parameter: ParameterMove, facts: CallFacts): CallChange[] => {
  const { row, ours, theirs, counts } = parameter;
  const given = givenAs(ours.name);
  if (!counts.some((count) => countOccurrences(count, given) > 0)) return [];
  if (row.kind === 'derived') return identifierChanges(parameter, facts);
  if (hasSameName(parameter)) return rangeChanges(parameter);
  const value = theirs === undefined ? givenValue(counts, ours.name) : (theirs.range?.default ?? 1);
  const before = queryOf(ours, value);
  const after = theirs === undefined ? ours.path : queryOf(theirs, value);
  return [{ before: ok(before), unchanged: bad(before), after: ok(after), remark: row.reason }];
};

const isAnswered = ({ status }: UsageCount): boolean => status < 400;

/**
 * Requests of the kinds that a key sends, with what to send instead after the move. Each is
 * answered as it says.
 */
export const exampleCalls = (facts: CallFacts): readonly CallChange[] => {
  const answered = new Set(facts.counts.filter(isAnswered).map(pathOf));
  const kept = crosswalk.paths.flatMap((row) => {
    const [before, after] = [row[facts.move.from], row[facts.move.to]];
    if (
      before === undefined ||
      after === undefined ||
      !answered.has(before) ||
      before.includes('{')
    )
      return [];
    return [{ before: ok(before), after: ok(after), remark: row.reason }];
  });
  return [
    ...kept,
    ...parameterMoves(facts.counts, facts.move).flatMap((parameter) => changesOf(parameter, facts)),
  ];
};
