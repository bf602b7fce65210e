import { byForm, type ComparedForm } from '../../src/crosswalk/forms.ts';
import type { Json } from '../../src/crosswalk/json.ts';
import { type RowKind, rowKinds } from '../../src/crosswalk/rows.ts';
import { groupBy } from '../../src/domain/group-by.ts';
import type { ComparisonCase, KeyKind } from './cases/cases.ts';
import type { CaseResponses } from './cases/send-request.ts';
import type { ItemComparison } from './checks/items.ts';
import type { ComparedLine, LineBlock } from './checks/members.ts';

/** The result of one case. */
export interface CaseResult {
  readonly name: string;
  readonly asks: string;
  readonly key: KeyKind;
  /** Whether both forms are expected to answer with items, rather than with a problem, a 304 or the health. */
  readonly listsItems: boolean;
  /** The first request of each form. */
  readonly paths: Readonly<Record<ComparedForm, string>>;
  /** The number of items of each form. */
  readonly items: Readonly<Record<ComparedForm, number>>;
  readonly blocks: readonly LineBlock[];
  /** Statements that hold, by kind. */
  readonly counts: Readonly<Record<RowKind, number>>;
  readonly unexpected: readonly UnexpectedLine[];
  /** Items of one form that are beyond the limit of the other. */
  readonly beyondLimit: readonly Json[];
  /** How often the requests were sent: twice when data may have changed between the first two answers. */
  readonly attempts: number;
}

/** A line with an unexpected difference, and the title of its block. */
export interface UnexpectedLine {
  readonly block: string;
  readonly line: ComparedLine;
}

/** A skipped case, and why. */
export interface SkippedCase {
  readonly name: string;
  readonly reason: string;
}

/** The results of several cases. */
export interface CasesRun {
  readonly cases: readonly CaseResult[];
  readonly skipped: readonly SkippedCase[];
  /** Why the run ended before its last case, if it did. */
  readonly stopped: string | undefined;
}

/** The result of a whole run. */
export interface RunResult extends CasesRun {
  /** What is compared, for headings. */
  readonly heading: string;
  /** The names of the two sides. */
  readonly sides: Readonly<Record<ComparedForm, string>>;
  /** The folder or the address of the gateway. */
  readonly target: string;
  /** The target's time, an ISO 8601 instant. */
  readonly now: string;
  /** Ids of rows of the crosswalk that a statement of the run must be about. */
  readonly requiredRows: readonly string[];
  /** Remarks for the reader. */
  readonly notes: readonly string[];
}

/** The names of the sides where both forms are compared. */
export const formSides: RunResult['sides'] = { current: 'current form', variant: 'variant form' };

/** The responses to a case for one artist, and their comparison. */
export interface CaseRound {
  readonly responses: CaseResponses;
  readonly comparison: ItemComparison;
}

export const isUnexpected = ({ unexpected }: ComparedLine): boolean => unexpected !== undefined;

const countByKind = (lines: readonly ComparedLine[]): Record<RowKind, number> => {
  const groups = groupBy(lines, (line) => (isUnexpected(line) ? undefined : line.kind));
  const counts = rowKinds.map((kind) => [kind, groups.get(kind)?.length ?? 0]);
  return Object.fromEntries(counts) as Record<RowKind, number>; // one entry for each of rowKinds
};

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

const expectsItems = ({ items, current, variant }: ComparisonCase): boolean =>
  items !== 'nothing' &&
  items !== 'health' &&
  [current, variant].every(({ problem, notModified }) => problem === undefined && notModified === undefined);

/** Combines the rounds of a case. */
export const toCaseResult = (
  comparisonCase: ComparisonCase,
  rounds: readonly CaseRound[],
  attempts: number,
): CaseResult => {
  const { name, asks, key } = comparisonCase;
  const blocks = rounds.flatMap(({ comparison }) => comparison.blocks);
  return {
    name,
    asks,
    key,
    listsItems: expectsItems(comparisonCase),
    paths: byForm((form) => rounds[0]?.responses[form].path ?? ''),
    items: byForm((form) => sum(rounds.map(({ responses }) => responses[form].items.length))),
    blocks,
    counts: countByKind(blocks.flatMap(({ lines }) => lines)),
    unexpected: blocks.flatMap(({ title, lines }) =>
      lines.filter(isUnexpected).map((line) => ({ block: title, line })),
    ),
    beyondLimit: rounds.flatMap(({ comparison }) => comparison.beyondLimit),
    attempts,
  };
};

/** The number of unexpected differences of a run. */
export const countUnexpected = ({ cases }: Pick<CasesRun, 'cases'>): number =>
  sum(cases.map(({ unexpected }) => unexpected.length));

/** The number of statements of a case that hold although the forms differ. */
export const countExpected = ({ counts }: CaseResult): number =>
  sum(rowKinds.filter((kind) => kind !== 'same' && kind !== 'renamed').map((kind) => counts[kind]));

/** The number of statements of a kind that hold in all cases. */
export const countKind = (cases: readonly CaseResult[], kind: RowKind): number =>
  sum(cases.map(({ counts }) => counts[kind]));

/** The skipped cases, by reason. */
export const formatSkipped = ({ skipped }: RunResult): string[] =>
  [...groupBy(skipped, ({ reason }) => reason)].map(
    ([reason, cases]) => `Skipped, because ${reason}: ${cases.map(({ name }) => name).join(', ')}.`,
  );
