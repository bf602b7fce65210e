import type { Json } from '../../src/crosswalk/json.ts';
import { type Kind, kinds } from '../../src/crosswalk/rows.ts';
import type { FormName } from '../../src/domain/caller.ts';
import type { ComparisonCase, KeyKind } from './cases/cases.ts';
import type { Compared } from './checks/comparison.ts';
import type { Answers } from './checks/conditions.ts';
import type { Block } from './checks/items.ts';
import type { Line } from './checks/members.ts';

/** What a case came to. */
export interface CaseResult {
  readonly name: string;
  readonly asks: string;
  readonly key: KeyKind;
  /** The first request of each form. */
  readonly paths: Readonly<Record<FormName, string>>;
  /** How many items of each form were looked at. */
  readonly items: Readonly<Record<FormName, number>>;
  readonly blocks: readonly Block[];
  /** Statements that hold, by kind. */
  readonly counts: Readonly<Record<Kind, number>>;
  readonly unexpected: readonly FoundLine[];
  /** Items of one form that lie behind the limit of the other. */
  readonly outOfReach: readonly Json[];
  /** How often it was asked: more than once when data may have changed between the two answers. */
  readonly asked: number;
}

/** A line that is not as it must be, and where it was found. */
export interface FoundLine {
  readonly block: string;
  readonly line: Line;
}

/** A case that was not asked, and why. */
export interface SkippedCase {
  readonly name: string;
  readonly reason: string;
}

/** What a whole run came to. */
export interface RunResult {
  /** What was compared, in words. */
  readonly subject: string;
  /** The instant the answers were told from. */
  readonly now: string;
  readonly cases: readonly CaseResult[];
  readonly skipped: readonly SkippedCase[];
  /** What a reader has to know besides. */
  readonly notes: readonly string[];
  /** Why the run ended before its last case, if it did. */
  readonly stopped: string | undefined;
}

/** One round of a case: the answers to it, and what they came to. */
export interface Round {
  readonly answers: Answers;
  readonly compared: Compared;
}

const isUnexpected = ({ unexpected }: Line): boolean => unexpected !== undefined;

const countKinds = (lines: readonly Line[]): Record<Kind, number> => {
  const counts = {
    same: 0,
    renamed: 0,
    moved: 0,
    derived: 0,
    'scope-gated': 0,
    'only current': 0,
    'only variant': 0,
    volatile: 0,
  } satisfies Record<Kind, number>;
  for (const line of lines) {
    if (line.kind !== undefined && !isUnexpected(line)) counts[line.kind] += 1;
  }
  return counts;
};

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Puts the rounds of a case together. */
export const toCaseResult = (asked: ComparisonCase, rounds: readonly Round[], times: number): CaseResult => {
  const blocks = rounds.flatMap(({ compared }) => compared.blocks);
  const itemsOf = (form: FormName) => sum(rounds.map(({ answers }) => answers[form].items.length));
  const pathOf = (form: FormName) => rounds[0]?.answers[form].path ?? '';
  return {
    name: asked.name,
    asks: asked.asks,
    key: asked.key,
    paths: { current: pathOf('current'), variant: pathOf('variant') },
    items: { current: itemsOf('current'), variant: itemsOf('variant') },
    blocks,
    counts: countKinds(blocks.flatMap(({ lines }) => lines)),
    unexpected: blocks.flatMap(({ title, lines }) =>
      lines.filter(isUnexpected).map((line) => ({ block: title, line })),
    ),
    outOfReach: rounds.flatMap(({ compared }) => compared.outOfReach),
    asked: times,
  };
};

/** How many unexpected differences a run has. */
export const countUnexpected = ({ cases }: RunResult): number => sum(cases.map(({ unexpected }) => unexpected.length));

/** Statements of a case that hold although the forms differ. */
export const countExpected = ({ counts }: CaseResult): number =>
  sum(kinds.filter((kind) => kind !== 'same' && kind !== 'renamed').map((kind) => counts[kind]));

/** The cases that were not asked, by the reason why. */
export const formatSkipped = ({ skipped }: RunResult): string[] =>
  [...new Set(skipped.map(({ reason }) => reason))].map((why) => {
    const names = skipped.filter(({ reason }) => reason === why).map(({ name }) => name);
    return `Not asked, because ${why}: ${names.join(', ')}.`;
  });
