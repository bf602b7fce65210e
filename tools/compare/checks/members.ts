import { isDeepStrictEqual } from 'node:util';
import { type Json, valueAt } from '../../../src/domain/json.ts';
import { byForm, type ComparedForm, comparedForms } from '../../migration/mapping/forms.ts';
import { type MemberTable, mapping } from '../../migration/mapping/mapping.ts';
import type { ComparisonFacts, MemberRow } from '../../migration/mapping/rows.ts';
import { diff, type Slot } from './diff.ts';
import { type ComparedLine, type ComparedMember, formTitles, violation } from './lines.ts';
import { memberRowId, type RowAtPath } from './row-ids.ts';

type RowValues = Readonly<Partial<Record<ComparedForm, ComparedMember | undefined>>>;

/** Why a form must not show the member; `undefined` when it may. */
export const hiddenBecause = (
  { scope, presentIf }: MemberRow,
  form: ComparedForm,
  { conditions, hasScope }: ComparisonFacts,
): string | undefined => {
  if (scope !== undefined && hasScope[form](scope) === false) return `its key lacks ${scope}`;
  const condition = presentIf?.[form];
  return condition === undefined || conditions.has(condition)
    ? undefined
    : `it was not asked for ${condition}`;
};

const compareValues = (
  current: Json | undefined,
  variant: Json | undefined,
): string | undefined => {
  if (isDeepStrictEqual(current, variant)) return undefined;
  if (current === undefined) return 'The current form lacks it.';
  return variant === undefined ? 'The variant form lacks it.' : 'The two forms differ.';
};

const requireValue = (
  expected: Json | undefined,
  variant: Json | undefined,
): string | undefined => {
  if (isDeepStrictEqual(expected, variant)) return undefined;
  return expected === undefined
    ? 'The variant form shows it, although the current form has nothing to derive it from.'
    : `The variant form ${variant === undefined ? 'lacks' : 'differs from'} ${JSON.stringify(expected)}.`;
};

const compareBoth = (
  row: MemberRow,
  { current, variant }: RowValues,
  item: Json,
  facts: ComparisonFacts,
): string | undefined => {
  if (row.comparableIf !== undefined && !facts.conditions.has(row.comparableIf)) return undefined;
  if (row.kind === 'derived')
    return requireValue(row.derive(valueAt(item, row.from), facts), variant?.value);
  if (row.kind === 'volatile') return undefined;
  return compareValues(current?.value, variant?.value);
};

const checkMember = (
  row: MemberRow,
  member: RowValues,
  item: Json,
  facts: ComparisonFacts,
): string | undefined => {
  const hidden = byForm((form) => hiddenBecause(row, form, facts));
  for (const form of comparedForms) {
    if (member[form] !== undefined && hidden[form] !== undefined)
      return `The ${form} form shows it, though ${hidden[form]}.`;
  }
  if (row.kind === 'volatile') {
    const expected = row.expected?.(facts);
    for (const form of comparedForms) {
      const { path, value = null } = member[form] ?? {};
      if (path !== undefined && !row.pattern.test(String(value)))
        return `${path} of the ${form} form has another format.`;
      if (path !== undefined && expected !== undefined && value !== expected)
        return `${path} of the ${form} form differs from ${JSON.stringify(expected)}.`;
    }
  }
  if (row.kind === 'only variant') {
    const expected = row.expected?.(facts);
    return expected === undefined ? undefined : requireValue(expected, member.variant?.value);
  }
  const mustShow = (form: ComparedForm): boolean => {
    const scopeIsKnown = row.scope === undefined || facts.hasScope[form](row.scope) === true;
    return (
      row[form] !== undefined &&
      hidden[form] === undefined &&
      (scopeIsKnown || member[form] !== undefined)
    );
  };
  // A derived member may be computed from a member that is not in this table, so only the variant
  // form has to show it.
  const isComparable = mustShow('variant') && (row.kind === 'derived' || mustShow('current'));
  return isComparable ? compareBoth(row, member, item, facts) : undefined;
};

/**
 * Checks a member. If the check throws, because of a bug in the row or of unexpected data, the
 * error names the row.
 */
const rowError = (
  { row, id }: Pick<RowAtPath, 'row' | 'id'>,
  { left, right }: Partial<Slot>,
  item: Json,
  facts: ComparisonFacts,
) => {
  try {
    return checkMember(row, { current: left, variant: right }, item, facts);
  } catch (cause) {
    throw Object.assign(new Error(`The check of ${id} threw.`, { cause }), { row: id });
  }
};

const undeclared: ComparedLine = {
  ...violation('Every member of a form has a row in the mapping.', 'No row of the mapping has it.'),
  violates: { type: 'undeclared' },
};

/**
 * Compares an answer, or an item of one, of the current form with its counterpart of the variant
 * form by the rows of a table.
 */
export const compareMembers = (
  table: MemberTable,
  current: Json,
  variant: Json,
  facts: ComparisonFacts,
): ComparedLine[] => {
  const shown = new Set<string>();
  const lineOf = ({ at, left, right }: Slot): ComparedLine | undefined => {
    if (at === undefined) return { ...undeclared, left, right };
    if (!at.isRow) return undefined;
    shown.add(at.id);
    const unexpected = rowError(at, { left, right }, current, facts);
    return { kind: at.row.kind, row: at.id, left, right, reason: at.row.reason, unexpected };
  };
  const lines = diff(
    { left: current, right: variant },
    { table, forms: { left: 'current', right: 'variant' }, titles: formTitles, lineOf },
  );
  // Members that neither form shows, although one of them has to.
  const missing = mapping.members[table].flatMap((row): ComparedLine[] => {
    const id = memberRowId(table, row);
    if (shown.has(id) || /\*|\[\]/.test(`${row.current}${row.variant}`)) return [];
    const error = rowError({ row, id }, {}, current, facts);
    if (error === undefined) return [];
    return [
      { kind: row.kind, row: id, reason: row.reason, unexpected: `${row.variant}: ${error}` },
    ];
  });
  return [...lines, ...missing];
};
