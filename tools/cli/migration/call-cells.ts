import { countOf } from '../../../src/domain/quantities.ts';
import { type CallPlan, type ItemFilter, isSameCall } from '../../migration/call-plan.ts';
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

/**
 * A call as `artist-gateway.mjs check` reads it: today's, and what is sent instead if that differs,
 * `-` for nothing, with `{today-14}` for a day.
 */
export const checkedLine = ({ before, plan: { target, daysBack } }: MeasuredCall): string => {
  const instead =
    target === undefined
      ? '-'
      : `/api/v1${target.replace(/(?<=[?&]added_since=)[\d-]+/, `{today-${daysBack}}`)}`;
  return `/api/v1${before.target} ${instead}`;
};

export const callTitles = [
  'the call today',
  'the same call after the move',
  'send instead',
  'result',
  'requests it takes',
  'why',
] as const;

export const callCells = ({ plan, before, unchanged, after }: MeasuredCall): readonly string[] => {
  const isSame = isSameCall(before.target, plan);
  return [
    `${request(before.target)} → ${answerText(before)}`,
    isSame && before.status === unchanged.status ? 'unchanged' : answerText(unchanged),
    isSame ? 'the same call' : planText(plan),
    answerText({ status: 200, items: after.items }),
    String(after.requests),
    plan.why.length === 0 ? 'the same items' : plan.why.join(' '),
  ];
};
