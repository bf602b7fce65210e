import { countOf } from '../../../src/domain/quantities.ts';
import type { CallPlan, ItemFilter } from '../../migration/call-plan.ts';
import type { Measured, MeasuredCall } from './measure-calls.ts';

const request = (target: string): string => `\`GET /api/v1${target}\``;

const itemsText = (items: number | undefined): string =>
  items === undefined ? '' : `, ${countOf(items, 'item')}`;

const answerText = ({ status, items }: Omit<Measured, 'target'>): string =>
  `${status}${itemsText(items)}`;

const conditionText = ({ member, is, value, meaning }: ItemFilter): string =>
  `\`${member}\` ${is} \`${value}\`${meaning === undefined ? '' : ` (${meaning})`}`;

/** What a plan says to do with the answers, as a reader and a test take it literally. */
const planText = ({ target, keep, upTo }: CallPlan): string => {
  if (target === undefined) return 'nothing: use an empty list';
  return [
    request(target),
    ...(upTo === undefined
      ? []
      : [`then the same with \`&cursor=\` and \`meta.next_cursor\`, until that is \`null\``]),
    ...(keep.length === 0 ? [] : [`keep items with ${keep.map(conditionText).join(' and ')}`]),
    ...(upTo === undefined ? [] : [`stop at ${upTo} items`]),
  ].join('; ');
};

/** Whether a call is sent after the move as it is sent today. */
export const staysAsItIs = ({ plan, before }: MeasuredCall): boolean =>
  plan.target === before.target && plan.upTo === undefined && plan.keep.length === 0;

/**
 * A call as `moving.py check` reads it: today's, and what is sent instead, `-` for nothing, with
 * `{today-14}` for a day.
 */
export const checkedLine = ({ before, plan: { target, daysBack } }: MeasuredCall): string => {
  const instead =
    target === undefined
      ? '-'
      : `/api/v1${target.replace(/(?<=[?&]added_since=)[\d-]+/, `{today-${daysBack}}`)}`;
  return `/api/v1${before.target} ${instead}`;
};

/** The columns of a letter's table of calls. */
export const callTitles = [
  'the call today',
  'the same call after the move',
  'send instead',
  'result',
  'requests it takes',
  'why',
] as const;

/** The cells of a call, in Markdown. */
export const callCells = (measured: MeasuredCall): readonly string[] => {
  const { plan, before, unchanged, after } = measured;
  const isSame = staysAsItIs(measured) && before.status === unchanged.status;
  return [
    `${request(before.target)} → ${answerText(before)}`,
    isSame ? 'unchanged' : answerText(unchanged),
    staysAsItIs(measured) ? 'the same call' : planText(plan),
    answerText({ status: 200, items: after.items }),
    String(after.requests),
    plan.why.length === 0 ? 'the same items' : plan.why.join(' '),
  ];
};
