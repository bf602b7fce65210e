import { type Group, groupBy } from '../../src/domain/group-by.ts';
import type { ComparedLine } from './checks/members.ts';
import type { CaseResult, UnexpectedLine } from './results.ts';

/** An unexpected difference, and the case that shows it. */
export interface FoundDifference extends UnexpectedLine {
  readonly one: CaseResult;
}

/** Unexpected differences with one cause: the same row of the crosswalk violated in the same way. */
export interface Cause {
  /** The id of the row; `undefined` for a violation that no row is about. */
  readonly row: string | undefined;
  /** The violation, without values and indexes. */
  readonly violation: string;
  readonly reason: string;
  /** In the order of the cases. */
  readonly found: Readonly<Group<FoundDifference>>;
  readonly cases: readonly CaseResult[];
  /** Number of items (or whole responses) that show it. */
  readonly items: number;
}

/**
 * A violation without the values and indexes that differ from item to item. Violations quote texts of answers, so no expression
 * may scan a text twice: a quotation or bracket that is not closed is matched up to the end of the text, and left as it is.
 */
export const withoutValues = (text: string): string =>
  text
    .replaceAll(/\[\d+\]/g, '[]')
    .replaceAll(/"(?:[^"\\]|\\.)*("|\\?$)/gs, (quoted, end) => (end === '"' ? '…' : quoted))
    .replaceAll(/[[{][^\]}]*([\]}]+|$)/g, (group, end) => (end !== '' && group.includes('…') ? '…' : group))
    .replaceAll(/(?<![\w-])-?\d[\w.:+-]*/g, '…');

/** Identifies the cause of a line with a violation. */
const causeKey = ({ row, reason, unexpected = '' }: ComparedLine): string =>
  `${row ?? reason}\n${withoutValues(unexpected)}`;

/** Groups the unexpected differences of cases by their cause, the one in most cases first. */
export const causesOf = (cases: readonly CaseResult[]): readonly Cause[] => {
  const all = cases.flatMap((one) => one.unexpected.map((found): FoundDifference => ({ ...found, one })));
  return [...groupBy(all, ({ line }) => causeKey(line)).values()]
    .map((found): Cause => {
      const [{ line }] = found;
      return {
        row: line.row,
        violation: withoutValues(line.unexpected ?? ''),
        reason: line.reason,
        found,
        cases: [...new Set(found.map(({ one }) => one))],
        items: new Set(found.map(({ one, block }) => `${one.name}\n${block}`)).size,
      };
    })
    .sort((left, right) => right.cases.length - left.cases.length);
};
