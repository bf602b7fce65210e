import { groupBy } from '../../src/domain/groups.ts';
import type { Json } from '../../src/domain/json.ts';
import { sum } from '../../src/domain/quantities.ts';
import { type RowKind, rowKinds } from '../migration/mapping/rows.ts';
import type { ComparisonCase } from './cases/cases.ts';
import type { SideResponse } from './cases/send-request.ts';
import type { ItemComparison } from './checks/items.ts';
import { bySide, type ComparedLine, type LineBlock, type Sides } from './checks/lines.ts';
import type { KeyKind } from './targets/ephemeral-keys.ts';

export interface CaseResult {
  readonly name: string;
  readonly asks: string;
  readonly key: KeyKind;
  readonly listsItems: boolean;
  readonly paths: Sides<string>;
  readonly isPaged: boolean;
  readonly items: Sides<number>;
  /**
   * Blocks with a difference, and the first ones without: memory does not grow with the number of
   * artists.
   */
  readonly blocks: readonly LineBlock[];
  readonly blocksLeftOut: number;
  readonly rows: ReadonlySet<string>;
  readonly counts: Readonly<Record<RowKind, number>>;
  readonly unexpected: readonly UnexpectedLine[];
  readonly beyondLimit: readonly Json[];
  /**
   * How often the requests were sent: twice when data may have changed between the first two
   * answers.
   */
  readonly attempts: number;
  readonly seconds: number;
}

export interface UnexpectedLine {
  readonly block: string;
  readonly line: ComparedLine;
}

export interface SkippedCase {
  readonly name: string;
  readonly reason: string;
}

export interface CasesRun {
  readonly cases: readonly CaseResult[];
  readonly skipped: readonly SkippedCase[];
  readonly stopped: string | undefined;
  readonly notes: readonly string[];
}

export interface RunResult extends CasesRun {
  readonly heading: string;
  readonly sides: Sides<string>;
  readonly target: string;
  readonly now: string;
}

/**
 * Maximum number of blocks without a difference that a case keeps: enough to see how members are
 * paired.
 */
const maxCleanBlocks = 4;

export const isUnexpected = ({ unexpected }: ComparedLine): boolean => unexpected !== undefined;

const byKind = (count: (kind: RowKind) => number) =>
  // one entry for each of rowKinds
  Object.fromEntries(rowKinds.map((kind) => [kind, count(kind)])) as Record<RowKind, number>;

const expectsItems = ({ items, current, variant }: ComparisonCase): boolean =>
  items !== 'nothing' &&
  items !== 'health' &&
  [current, variant].every(
    ({ problem, notModified }) => problem === undefined && notModified === undefined,
  );

export const emptyResult = (comparisonCase: ComparisonCase, attempts: number): CaseResult => ({
  name: comparisonCase.name,
  asks: comparisonCase.asks,
  key: comparisonCase.key,
  listsItems: expectsItems(comparisonCase),
  paths: bySide(() => ''),
  isPaged: false,
  items: bySide(() => 0),
  blocks: [],
  blocksLeftOut: 0,
  rows: new Set(),
  counts: byKind(() => 0),
  unexpected: [],
  beyondLimit: [],
  attempts,
  seconds: 0,
});

export const isClean = ({ lines }: LineBlock): boolean => !lines.some(isUnexpected);

export const addRound = (
  result: CaseResult,
  responses: Sides<SideResponse>,
  { blocks, beyondLimit }: ItemComparison,
): CaseResult => {
  const found = blocks.flatMap(({ title, lines }) => lines.map((line) => ({ block: title, line })));
  const held = found.filter(({ line }) => !isUnexpected(line));
  const clean = blocks.filter(isClean);
  const kept = new Set(clean.slice(0, maxCleanBlocks - result.blocks.filter(isClean).length));
  return {
    ...result,
    paths: bySide((side) => result.paths[side] || responses[side].path),
    isPaged:
      result.isPaged ||
      responses.left.replies.length > 1 ||
      responses.left.path.includes('cursor='),
    items: bySide((side) => result.items[side] + responses[side].items.length),
    blocks: [...result.blocks, ...blocks.filter((block) => kept.has(block) || !isClean(block))],
    blocksLeftOut: result.blocksLeftOut + clean.length - kept.size,
    rows: new Set([...result.rows, ...found.flatMap(({ line }) => line.row ?? [])]),
    counts: byKind(
      (kind) => result.counts[kind] + held.filter(({ line }) => line.kind === kind).length,
    ),
    unexpected: [...result.unexpected, ...found.filter(({ line }) => isUnexpected(line))],
    beyondLimit: [...result.beyondLimit, ...beyondLimit],
  };
};

export const countUnexpected = ({ cases }: Pick<CasesRun, 'cases'>): number =>
  sum(cases.map(({ unexpected }) => unexpected.length));

/** The number of statements of a case that hold although the forms differ. */
export const countExpected = ({ counts }: CaseResult): number =>
  sum(rowKinds.filter((kind) => kind !== 'same' && kind !== 'renamed').map((kind) => counts[kind]));

/** The number of statements of a kind that hold in all cases. */
export const countKind = (cases: readonly CaseResult[], kind: RowKind): number =>
  sum(cases.map(({ counts }) => counts[kind]));

export const formatSkipped = ({ skipped }: RunResult): string[] =>
  [...groupBy(skipped, ({ reason }) => reason)].map(
    ([reason, cases]) => `Skipped, because ${reason}: ${cases.map(({ name }) => name).join(', ')}.`,
  );
