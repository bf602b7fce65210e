import type { FormName } from '../caller.ts';
import type { SideAnswer } from './asking.ts';
import type { ComparisonCase } from './cases.ts';
import { isList, valueAt } from './json.ts';
import type { Expected } from './outcomes.ts';
import type { Circumstance } from './rows.ts';

/** The answers of both forms to one case. */
export type Answers = Readonly<Record<FormName, SideAnswer>>;

const isWhole = ({ replies, items, bodies, cut }: SideAnswer): boolean => {
  const data = valueAt(bodies[0], 'data');
  return !cut && replies.length === 1 && (!isList(data) || data.length === items.length);
};

/** What holds of a case and its answers. */
export const circumstancesOf = (
  asked: ComparisonCase,
  { current, variant }: Answers,
  expected: Readonly<Record<FormName, Expected>>,
  clockStands: boolean,
): ReadonlySet<Circumstance> => {
  const circumstances: readonly (readonly [Circumstance, boolean])[] = [
    ['a list', !asked.detail],
    ['history', asked.history || asked.detail],
    ['every field', !asked.basic],
    ['the whole list', isWhole(current) && isWhole(variant)],
    ['one code', expected.current.said?.code === expected.variant.said?.code],
    ['a clock that stands', clockStands],
  ];
  return new Set(circumstances.filter(([, holds]) => holds).map(([circumstance]) => circumstance));
};
