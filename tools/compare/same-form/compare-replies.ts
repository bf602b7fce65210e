import { isDeepStrictEqual } from 'node:util';
import { type ComparedForm, otherForm } from '../../migration/mapping/forms.ts';
import { headerRows } from '../../migration/mapping/header-rows.ts';
import { type Json, textAt } from '../../migration/mapping/json.ts';
import type { ComparisonCase } from '../cases/cases.ts';
import { type ReceivedResponse, type SideResponse, withoutItems } from '../cases/send-request.ts';
import { listChecks } from '../checks/comparison.ts';
import { diff, leavesOf, type Slot } from '../checks/diff.ts';
import { compareItems, type ItemComparison } from '../checks/items.ts';
import {
  bySide,
  type ComparedLine,
  type LineBlock,
  memberOf,
  type Side,
  type Sides,
  violation,
} from '../checks/lines.ts';
import { withKeyMembers } from '../checks/list-check.ts';
import { bodyTable, headerRowId, rowAt } from '../checks/row-ids.ts';
import { isUnexpected } from '../results.ts';

const reason = 'The same request has the same answer.';
const titles: Sides<string> = { left: 'first answer', right: 'second answer' };

/**
 * An `ETag` contains the version of the gateway, so that two releases differ in it on purpose; the
 * others count and tell time.
 */
const volatileHeaders = /^(ETag|RateLimit|Retry-After|X-Request-Id)$|-(Remaining|Reset)$/;

/** A line about a member of both answers. */
const toLine = (
  row: string | undefined,
  { left, right }: Omit<Slot, 'at'>,
  isVolatile = false,
): ComparedLine => {
  const isBoth = left !== undefined && right !== undefined;
  const isSame = isBoth && (isVolatile || isDeepStrictEqual(left.value, right.value));
  const unexpected = isBoth
    ? 'The two answers differ.'
    : `The ${left ? titles.right : titles.left} lacks it.`;
  const kind = isBoth && isVolatile ? 'volatile' : 'same';
  return { kind, row, left, right, reason, unexpected: isSame ? undefined : unexpected };
};

const compareValues = (
  table: Parameters<typeof rowAt>[0],
  form: ComparedForm,
  values: Sides<Json>,
): ComparedLine[] =>
  diff(values, {
    table,
    forms: { left: form, right: form },
    titles,
    lineOf: ({ at, ...members }) => toLine(at?.id, members, at?.row.kind === 'volatile'),
  });

const identify = (item: Json): string =>
  ['id', 'artist_id', 'artist_name', 'metric']
    .map((member) => textAt(item, member) ?? '')
    .join('\n');

const itemBlocks = (
  items: ComparisonCase['items'],
  form: ComparedForm,
  answers: Sides<SideResponse>,
): readonly LineBlock[] => {
  const list = listChecks[items];
  if (list === undefined) return [];
  // One that is cut off at another item than the other differs.
  const sides = bySide((side) => ({ items: answers[side].items, truncated: false, identify }));
  const compare = (left: Json, right: Json) => compareValues(list.table, form, { left, right });
  const show = (_side: Side, item: Json) => withKeyMembers(list, form, item);
  return compareItems(sides, { titles, row: undefined, compare, show }).blocks;
};

const headerLines = (replies: Sides<ReceivedResponse>): ComparedLine[] =>
  headerRows.flatMap((row) => {
    const members = bySide((side) =>
      memberOf(row.name, replies[side].headers[row.name.toLowerCase()]),
    );
    // Transport headers: a proxy or another version of Node may choose them.
    const isTravel = row.kind === 'volatile' && row.expected === undefined;
    if ((!members.left && !members.right) || isTravel) return [];
    return [toLine(headerRowId(row), members, volatileHeaders.test(row.name))];
  });

/**
 * A page's text with the values of volatile members left out: member order and number formats
 * remain.
 */
const stableText = (
  table: Parameters<typeof rowAt>[0],
  form: ComparedForm,
  answer: SideResponse,
  page: number,
): string =>
  leavesOf(withoutItems(answer.bodies[page] ?? null))
    .filter(({ declared }) => rowAt(table, form, declared)?.row.kind === 'volatile')
    .reduce(
      (rest, { value }) => rest.replace(JSON.stringify(value), '…'),
      answer.replies[page]?.text ?? '',
    );

const pageBlock = (
  items: ComparisonCase['items'],
  form: ComparedForm,
  answers: Sides<SideResponse>,
  page: number,
): LineBlock => {
  const title = `Page ${page + 1}`;
  const { left, right } = bySide((side) => answers[side].replies[page]);
  if (left === undefined || right === undefined)
    return { title, lines: [violation(reason, 'Only one of the answers has this page.')] };
  const status = toLine(undefined, {
    left: memberOf('status', left.status),
    right: memberOf('status', right.status),
  });
  const bodies = bySide((side) => withoutItems(answers[side].bodies[page] ?? null));
  const body = compareValues(bodyTable(items, left.status >= 400), form, bodies);
  const failures =
    left.status >= 500 && right.status >= 500
      ? [violation('A failure says nothing about the data.', 'Both gateways failed to answer.')]
      : [];
  return { title, lines: [status, ...failures, ...headerLines({ left, right }), ...body] };
};

/**
 * Compares the answers of two gateways to the same request of one form: every value but those of
 * volatile members.
 */
export const compareReplies = (
  { items }: Pick<ComparisonCase, 'items'>,
  asked: ComparedForm,
  answers: Sides<SideResponse>,
): ItemComparison => {
  // A request without a key, and one that chooses its form, may have its answer in the other form.
  const isOther = answers.left.replies[0]?.headers['x-envelope-served'] === otherForm[asked];
  const form = isOther ? otherForm[asked] : asked;
  const pages = [
    ...Array(Math.max(answers.left.replies.length, answers.right.replies.length)).keys(),
  ];
  const blocks = [
    ...pages.map((page) => pageBlock(items, form, answers, page)),
    ...itemBlocks(items, form, answers),
  ];
  if (blocks.some(({ lines }) => lines.some(isUnexpected))) return { blocks, beyondLimit: [] };
  const lines = pages.flatMap((page) => {
    const table = bodyTable(items, (answers.left.replies[page]?.status ?? 0) >= 400);
    const texts = bySide((side) => stableText(table, form, answers[side], page));
    const text = `The texts of page ${page + 1} differ, although their values are the same.`;
    return texts.left === texts.right ? [] : [violation(reason, text)];
  });
  return {
    blocks: lines.length === 0 ? blocks : [...blocks, { title: 'Text', lines }],
    beyondLimit: [],
  };
};
