import { hash } from 'node:crypto';
import { type Group, groupBy } from '../../src/domain/groups.ts';
import { mapping } from '../migration/mapping/mapping.ts';
import type { ComparedLine } from './checks/lines.ts';
import type { CaseResult, UnexpectedLine } from './results.ts';

export interface FoundDifference extends UnexpectedLine {
  readonly one: CaseResult;
}

export interface DifferenceGroup {
  readonly row: string | undefined;
  readonly violation: string;
  readonly reason: string;
  readonly found: Readonly<Group<FoundDifference>>;
  readonly cases: readonly CaseResult[];
  /** Number of items (or whole responses) that show it. */
  readonly items: number;
}

/**
 * A violation without the values and indexes that differ from item to item. Violations quote texts
 * of answers, so no expression may scan a text twice: a quotation or bracket that is not closed is
 * matched up to the end of the text, and left as it is.
 */
export const withoutValues = (text: string): string =>
  text
    .replaceAll(/\[\d+\]/g, '[]')
    .replaceAll(/"(?:[^"\\]|\\.)*("|\\?$)/gs, (quoted, end) => (end === '"' ? '…' : quoted))
    .replaceAll(/[[{][^\]}]*([\]}]+|$)/g, (group, end) =>
      end !== '' && group.includes('…') ? '…' : group,
    )
    .replaceAll(/(?<![\w-])-?\d[\w.:+-]*/g, '…');

export const titleOfDifference = ({
  row,
  violation,
}: Pick<DifferenceGroup, 'violation'> & { row?: string | undefined }) =>
  `${row ?? 'no row'}: ${violation}`;

const groupKey = ({ row, reason, unexpected = '' }: ComparedLine): string =>
  `${row ?? reason}\n${withoutValues(unexpected)}`;

export const groupDifferences = (cases: readonly CaseResult[]): readonly DifferenceGroup[] => {
  const all = cases.flatMap((one) =>
    one.unexpected.map((found): FoundDifference => ({ ...found, one })),
  );
  return [...groupBy(all, ({ line }) => groupKey(line)).values()].map((found): DifferenceGroup => {
    const [{ line }] = found;
    return {
      row: line.row,
      violation: withoutValues(line.unexpected ?? ''),
      reason: line.reason,
      found,
      cases: [...new Set(found.map(({ one }) => one))],
      items: new Set(found.map(({ one, block }) => `${one.name}\n${block}`)).size,
    };
  });
};

/** Characters of a mark: enough for ten thousand differences of a row without a collision. */
const markLength = 8;

/**
 * Names of members whose values differ from run to run, such as `request_id`: of them only the type
 * counts.
 */
const volatileNames = new Set(
  Object.values(mapping.members)
    .flat()
    .filter(({ kind }) => kind === 'volatile')
    .flatMap(({ current, variant }) => [current, variant].map((path) => path?.split('.').at(-1))),
);

const digest = (parts: readonly unknown[]): string => {
  const text = JSON.stringify(parts, (name, value) =>
    volatileNames.has(name) ? typeof value : value,
  );
  return hash('sha256', text, 'base64url').slice(0, markLength);
};

/** Identifies where a difference is and what it is. */
export const markOf = ({ block, line }: Pick<FoundDifference, 'block' | 'line'>): string => {
  const { kind, left, right, unexpected = '' } = line;
  const place = [block.replace(/items\[\d+\]/, ''), left?.path, right?.path];
  const values = [left, right].map((member) =>
    kind === 'volatile' ? typeof member?.value : member?.value,
  );
  const text = kind === 'volatile' ? '' : unexpected.replace(/items\[\d+\]/, '');
  return digest([...place, ...values, text]);
};

/** The marks that a baseline holds for a case, one after the other. */
export const marksIn = (text: string): string[] =>
  text.match(new RegExp(`.{${markLength}}`, 'g')) ?? [];
