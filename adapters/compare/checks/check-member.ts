import { equalJson, type Json, valueAt } from '../../../src/crosswalk/json.ts';
import type { Facts, MemberRow } from '../../../src/crosswalk/rows.ts';
import type { FormName } from '../../../src/domain/caller.ts';
import type { ValueAtPath } from './json-paths.ts';

/** A row, what the two forms have of it, and the whole item of the current form. */
export interface CheckedMember {
  readonly row: MemberRow;
  readonly current: ValueAtPath | undefined;
  readonly variant: ValueAtPath | undefined;
  readonly item: Json | undefined;
}

/** Why a form must not show the member; `undefined` when it may. */
export const hiddenBecause = (row: MemberRow, form: FormName, { circumstances, sees }: Facts): string | undefined => {
  if (row.scope !== undefined && sees[form](row.scope) === false) return `its key lacks ${row.scope}`;
  const when = row.when?.[form];
  return when === undefined || circumstances.has(when) ? undefined : `it was not asked for ${when}`;
};

const compareValues = (current: Json | undefined, variant: Json | undefined): string | undefined => {
  if (equalJson(current, variant)) return undefined;
  if (current === undefined) return 'The current form lacks it.';
  return variant === undefined ? 'The variant form lacks it.' : 'The two forms differ.';
};

const requireValue = (expected: Json | undefined, variant: Json | undefined): string | undefined => {
  if (equalJson(expected, variant)) return undefined;
  return expected === undefined
    ? 'The variant form shows it, though the current form has nothing that it could be made of.'
    : `The variant form must say ${JSON.stringify(expected)}.`;
};

/** What two members have to do with each other when both forms may show them. */
const compareBoth = ({ row, current, variant, item }: CheckedMember, facts: Facts): string | undefined => {
  if (row.equalWhen !== undefined && !facts.circumstances.has(row.equalWhen)) return undefined;
  switch (row.kind) {
    case 'derived':
      return requireValue(row.derive(valueAt(item, row.from), facts), variant?.value);
    case 'same':
    case 'renamed':
    case 'moved':
    case 'scope-gated':
      return compareValues(current?.value, variant?.value);
    case 'volatile':
      return row.equalWhen === undefined ? undefined : compareValues(current?.value, variant?.value);
    default:
      return undefined;
  }
};

const looksWrong = ({ row, current, variant }: CheckedMember): string | undefined => {
  if (row.kind !== 'volatile') return undefined;
  const odd = [current, variant].find((leaf) => leaf !== undefined && !row.looks.test(String(leaf.value)));
  return odd && `${odd.path} does not look like what it is.`;
};

/** What is wrong with a member, in words; `undefined` when it is as its row says. */
export const checkMember = (judged: CheckedMember, facts: Facts): string | undefined => {
  const { row, current, variant } = judged;
  const reasons = { current: hiddenBecause(row, 'current', facts), variant: hiddenBecause(row, 'variant', facts) };
  if (current !== undefined && reasons.current !== undefined)
    return `The current form shows it, though ${reasons.current}.`;
  if (variant !== undefined && reasons.variant !== undefined)
    return `The variant form shows it, though ${reasons.variant}.`;
  const odd = looksWrong(judged);
  if (odd !== undefined) return odd;
  if (row.kind === 'only variant') {
    const expected = row.reads?.(facts);
    return expected === undefined ? undefined : requireValue(expected, variant?.value);
  }
  const isDue = (form: FormName): boolean => {
    const isKnown = row.scope === undefined || facts.sees[form](row.scope) === true;
    return row[form] !== undefined && reasons[form] === undefined && (isKnown || judged[form] !== undefined);
  };
  // A derived member is made of something that may have no row of its own here, so only the variant side has to be due.
  const isComparable = row.kind === 'derived' ? isDue('variant') : isDue('current') && isDue('variant');
  return isComparable ? compareBoth(judged, facts) : undefined;
};
