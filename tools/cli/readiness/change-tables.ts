import type { sumOccurrences } from '../../migration/evidence.ts';
import type { KeyReport } from '../../migration/key-report.ts';
import { type Column, none } from '../terminal/table.ts';

/** A column of what a partner must change, in the operator's report and in the letter. */
export interface ChangeColumn<Row> extends Column<Row> {
  /** What a program has or sends: the letter shows it as code. */
  readonly isCode?: true;
  /** How usage names it: no column of the letter. */
  readonly isForOperator?: true;
}

/** How often something was seen, and on which day last. */
const occurrences = [
  { title: 'requests', show: ({ requests }) => requests },
  { title: 'last', show: ({ last_day }) => last_day, importance: 2 },
] satisfies ChangeColumn<ReturnType<typeof sumOccurrences>>[];

/**
 * The tables of what a partner must change before its key can move to a form, by the member of the
 * report that has the rows.
 */
export const changeTables = (form: string) => ({
  calls: [
    { title: 'call', show: ({ call }) => call },
    { title: 'status', show: ({ status }) => status },
    ...occurrences,
  ] satisfies ChangeColumn<KeyReport['calls'][number]>[],
  paths: [
    { title: 'path', show: ({ path }) => path ?? 'nothing there' },
    { title: `in the ${form} form`, show: ({ instead }) => instead ?? none },
    ...occurrences,
  ] satisfies ChangeColumn<KeyReport['paths'][number]>[],
  parameters: [
    { title: 'parameter to change', show: ({ parameter }) => parameter, isCode: true },
    { title: 'instead', show: ({ instead }) => instead ?? none, isCode: true },
    ...occurrences,
    { title: 'why', show: ({ remark }) => remark, isWrapped: true, importance: 1 },
  ] satisfies ChangeColumn<KeyReport['parameters'][number]>[],
  behaviours: [
    { title: 'relied on', show: ({ behaviour }) => behaviour, isWrapped: true },
    {
      title: 'seen by',
      show: ({ seen_by }) => seen_by.join(', '),
      isWrapped: true,
      isForOperator: true,
    },
    ...occurrences,
    {
      title: 'in the variant form',
      show: ({ variant }) => variant,
      isWrapped: true,
      importance: 1,
    },
    { title: 'in the current form', show: ({ current }) => current, isWrapped: true },
  ] satisfies ChangeColumn<KeyReport['behaviours'][number]>[],
  members: [
    { title: 'member to read otherwise', show: ({ member }) => member, isCode: true },
    { title: 'of', show: ({ of }) => of, importance: 2 },
    { title: 'instead', show: ({ instead }) => instead ?? none, isCode: true },
    { title: 'to do', show: ({ to_do }) => to_do, isWrapped: true },
    { title: 'why', show: ({ remark }) => remark, isWrapped: true, importance: 1 },
  ] satisfies ChangeColumn<KeyReport['members'][number]>[],
  errors: [
    { title: 'error met', show: ({ status }) => status },
    ...occurrences,
    {
      title: `in the ${form} form`,
      show: ({ instead }) => instead.join(' or ') || none,
      isWrapped: true,
    },
  ] satisfies ChangeColumn<KeyReport['errors'][number]>[],
});
