import { isList, valueAt } from '../../../src/crosswalk/json.ts';
import type { Condition } from '../../../src/crosswalk/rows.ts';
import type { FormName } from '../../../src/domain/caller.ts';
import type { ComparisonCase } from '../cases/cases.ts';
import type { SideResponse } from '../cases/send-request.ts';
import type { Expected } from './outcomes.ts';

/** The answers of both forms to one case. */
export type Answers = Readonly<Record<FormName, SideResponse>>;

const isWhole = ({ replies, items, bodies, cut }: SideResponse): boolean => {
  const data = valueAt(bodies[0], 'data');
  return !cut && replies.length === 1 && (!isList(data) || data.length === items.length);
};

/** What holds of a case and its answers. */
export const conditionsOf = (
  asked: ComparisonCase,
  { current, variant }: Answers,
  expected: Readonly<Record<FormName, Expected>>,
  clockStands: boolean,
): ReadonlySet<Condition> => {
  const circumstances: readonly (readonly [Condition, boolean])[] = [
    ['a list', !asked.detail],
    ['history', asked.history || asked.detail],
    ['every field', !asked.basic],
    ['the whole list', isWhole(current) && isWhole(variant)],
    ['one code', expected.current.said?.code === expected.variant.said?.code],
    ['a clock that stands', clockStands],
  ];
  return new Set(circumstances.filter(([, holds]) => holds).map(([circumstance]) => circumstance));
};
