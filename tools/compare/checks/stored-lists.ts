import { isDeepStrictEqual } from 'node:util';
import { type Json, listAt, textAt, valueAt } from '../../../src/domain/json.ts';
import type { ComparisonFacts } from '../../migration/mapping/rows.ts';
import { itemsIn, pathBelow, type SideResponse } from '../cases/send-request.ts';
import { diff, type Slot } from './diff.ts';
import { compareItems, titleOf } from './items.ts';
import { type ComparedLine, type LineBlock, memberOf, storedReason, violation } from './lines.ts';
import { type ListCheck, type WholeShortlist, withKeyMembers } from './list-check.ts';
import { hiddenBecause } from './members.ts';
import { rowAt } from './row-ids.ts';

const titles = { left: 'current form', right: 'stored data' };
const forms = { left: 'current', right: 'current' } as const;

/** A line about the current form and the stored data. */
const asStored = ({ right, ...line }: ComparedLine): ComparedLine => ({
  ...line,
  kind: 'shortlist',
  reason: storedReason,
  stored: right,
});

/**
 * Every page of artists except the last has a cursor; other lists have one page. The first page
 * begins at index `start` of `length` artists.
 */
const cursorLines = (answer: SideResponse, start: number, length: number): ComparedLine[] =>
  answer.bodies.flatMap((body, page) => {
    const hasNext = textAt(body, 'meta.next_cursor') !== undefined;
    const isPaged = /^\/artists(\?|$)/.test(pathBelow(answer));
    const hasMore = isPaged && start + answer.limit * (page + 1) < length;
    if (hasNext === hasMore) return [];
    const text = hasMore
      ? 'meta.next_cursor is missing, although more artists follow.'
      : 'meta.next_cursor is sent, although no artist follows.';
    const last = listAt(body, 'data').at(-1);
    const line = violation(storedReason, text, 'envelope.meta.next_cursor', { type: 'listing' });
    const value = {
      next_cursor: valueAt(body, 'meta.next_cursor') ?? null,
      after: textAt(last, 'id') ?? null,
    };
    return [{ ...line, left: memberOf('meta', value) }];
  });

/**
 * Index of the page's first item; at least 1 after a cursor. Only the gateway can read a cursor, so
 * the item is searched.
 */
const startOf = (
  { path }: SideResponse,
  all: readonly Json[],
  isFirst: (item: Json) => boolean,
): number => (/[?&]cursor=/.test(path) ? Math.max(1, all.findIndex(isFirst)) : 0);

/** Checks an answer of the current form against all artists, from which each list follows. */
export const compareWithStored = (
  list: ListCheck,
  stored: WholeShortlist,
  answer: SideResponse,
  facts: ComparisonFacts,
): LineBlock[] => {
  const { table, identity, expectedItems } = list;
  const identify = (item: Json): string =>
    JSON.stringify(identity.map((member) => valueAt(item, member) ?? null));
  const row = rowAt(table, 'current', identity[0])?.id;
  const items = answer.bodies.flatMap(itemsIn);
  const today = (textAt(answer.bodies[0], 'meta.generated_at') ?? '').slice(0, 10);
  const all = expectedItems(stored, { path: pathBelow(answer), today, items });
  const first = identify(items[0] ?? null);
  const start = startOf(answer, all, (item) => identify(item) === first);
  const expected = all.slice(start, start + answer.limit * answer.bodies.length);

  const lineOf = ({ at, left, right }: Slot): ComparedLine | undefined => {
    if (!at?.isRow || hiddenBecause(at.row, 'current', facts) !== undefined) return undefined;
    if (isDeepStrictEqual(left?.value, right?.value)) return undefined;
    const how = left === undefined ? 'is missing' : 'differs';
    const text =
      right === undefined ? 'is not stored' : `${how}: stored is ${JSON.stringify(right.value)}`;
    return { ...violation(storedReason, `${(left ?? right)?.path} ${text}.`, at.id), left, right };
  };
  const compare = (left: Json, right: Json): ComparedLine[] => {
    if (identify(left) === identify(right))
      return diff({ left, right }, { table, forms, titles, lineOf });
    return [
      violation(storedReason, `Another item is stored here: ${identify(right)}.`, row, {
        type: 'listing',
      }),
    ];
  };
  const left = { items, truncated: false, identify };
  const { blocks } = compareItems(
    { left, right: { ...left, items: expected } },
    {
      titles,
      row,
      compare,
      show: (_side, item) => withKeyMembers(list, 'current', item),
      titleOf: (index, item) =>
        `Shortlist, ${titleOf(index, item)} (${textAt(item, 'artist_id') ?? textAt(item, 'id') ?? 'no id'})`,
    },
  );
  const cursors = { title: 'Shortlist', lines: cursorLines(answer, start, all.length) };
  return [...blocks, cursors].map(({ title, lines }) => ({ title, lines: lines.map(asStored) }));
};
