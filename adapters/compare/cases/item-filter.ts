import { type Json, textAt } from '../../../src/crosswalk/json.ts';
import type { FormName } from '../../../src/domain/caller.ts';
import type { Condition, SideOfCase } from './cases.ts';
import { type Focus, fillPlaceholders } from './placeholders.ts';

/** Names as they are compared: composed, without regard to case. */
const foldName = (name: string): string => name.normalize('NFC').toUpperCase().normalize('NFC');

const holds =
  ({ member, is, isNot, absent, contains, since }: Condition) =>
  (item: Json): boolean => {
    const text = textAt(item, member);
    if (absent && text !== undefined) return false;
    if (is !== undefined && text !== is) return false;
    if (isNot !== undefined && text === isNot) return false;
    if (since !== undefined && (text === undefined || text < since)) return false;
    return contains === undefined || foldName(text ?? '').includes(foldName(contains));
  };

/** Picks the items that a side of a case is about. */
export const createItemFilter = (side: SideOfCase, form: FormName, focus: Focus): ((item: Json) => boolean) => {
  const fill = (text: string | undefined) => text && fillPlaceholders(text, form, focus, (value) => value);
  const conditions = side.keep.map((condition) =>
    holds({ ...condition, contains: fill(condition.contains), since: fill(condition.since) }),
  );
  return (item) => conditions.every((condition) => condition(item));
};
