import { isDeepStrictEqual } from 'node:util';
import { type Json, listAt, textAt, valueAt } from '../../../src/crosswalk/json.ts';
import type { ComparisonFacts } from '../../../src/crosswalk/rows.ts';
import { itemsIn, pathBelow, type SideResponse } from '../cases/send-request.ts';
import { diff, type Slot } from './diff.ts';
import { type ComparedLine, memberOf, storedReason, violation } from './lines.ts';
import type { ListCheck, StoredArtists, Turn, WholeShortlist } from './list-check.ts';
import { hiddenBecause } from './members.ts';
import { rowAt } from './row-ids.ts';

/** Checks an item of the current form against the one that follows from the stored artists. */
const itemLines = (
  { table, identity: [artistId] }: ListCheck,
  index: number,
  shown: Json,
  stored: Json | undefined,
  facts: ComparisonFacts,
): ComparedLine[] => {
  const lineOf = ({ at, left, right }: Slot): ComparedLine | undefined => {
    const path = left?.path ?? right?.path ?? '';
    if (stored === undefined && path !== artistId) return undefined;
    if (!at?.isRow || hiddenBecause(at.row, 'current', facts) !== undefined) return undefined;
    if (isDeepStrictEqual(left?.value, right?.value)) return undefined;
    const text = right === undefined ? 'nothing like this is stored' : `stored is ${JSON.stringify(right.value)}`;
    return { ...violation(storedReason, `items[${index}] ${path}: ${text}.`, at.id), left, stored: right };
  };
  const titles = { left: `answer's items[${index}]`, right: 'stored artist' };
  const forms = { left: 'current', right: 'current' } as const;
  return diff({ left: shown, right: stored ?? null }, { table, forms, titles, lineOf });
};

/** Describes the first item that is not the expected one. */
const sequenceError = (all: readonly string[], expected: readonly string[], shown: readonly string[]) => {
  const length = Math.max(expected.length, shown.length);
  const index = Array.from({ length }).findIndex((_, at) => expected[at] !== shown[at]);
  const [due, found] = [expected[index], shown[index]];
  if (index === -1) return undefined;
  const listing = (text: string) => ({ text, sign: { of: 'listing' } as const });
  if (found !== undefined && !all.includes(found)) return listing(`${found} does not belong in this list.`);
  if (due !== undefined && !shown.includes(due)) return listing(`${due} is missing in this list.`);
  if (due === undefined) return listing(`${found} is listed again, or behind the limit.`);
  return { text: `items[${index}] is ${found}, and must be ${due}.`, sign: { of: 'order', list: 'items' } as const };
};

/** Every page but the last has a cursor. The first one begins at `start`, of `length` artists. */
const cursorLines = (answer: SideResponse, start: number, length: number): ComparedLine[] =>
  answer.bodies.flatMap((body, page) => {
    const hasNext = textAt(body, 'meta.next_cursor') !== undefined;
    const hasMore = start + answer.limit * (page + 1) < length;
    if (!/^\/artists(\?|$)/.test(pathBelow(answer)) || hasNext === hasMore) return [];
    const text = hasMore ? 'meta.next_cursor is missing: more artists follow.' : 'meta.next_cursor leads to nobody.';
    const last = listAt(body, 'data').at(-1);
    const line = violation('A list ends with its last artist.', text, 'envelope.meta.next_cursor');
    const value = { next_cursor: valueAt(body, 'meta.next_cursor') ?? null, after: textAt(last, 'id') ?? null };
    return [{ ...line, left: memberOf('meta', value) }];
  });

/** Checks an answer of the current form against the stored artists: every item, and what it lists if all artists are known. */
export const storedLines = async (
  list: ListCheck,
  stored: StoredArtists | WholeShortlist,
  answer: SideResponse,
  facts: ComparisonFacts,
  turn: Turn,
): Promise<ComparedLine[]> => {
  const identityOf = (item: Json): string =>
    JSON.stringify(list.identity.map((member) => valueAt(item, member) ?? null));
  const items = answer.bodies.flatMap(itemsIn);
  const today = (textAt(answer.bodies[0], 'meta.generated_at') ?? '').slice(0, 10);
  const isWhole = 'spikes' in stored;
  const expected = isWhole ? list.expectedItems(stored, { path: pathBelow(answer), today, items }) : stored.artists;
  const [all, shown] = [expected.map(identityOf), items.map(identityOf)];
  const byIdentity = new Map(expected.map((item, index) => [all[index], item]));
  // Only the gateway reads a cursor: the page begins where its first item is, but never with the first of the list.
  const start = /[?&]cursor=/.test(answer.path) ? Math.max(1, all.indexOf(shown[0] ?? '')) : 0;
  const end = start + answer.limit * answer.bodies.length;
  const error = isWhole ? sequenceError(all, all.slice(start, end), shown) : undefined;
  if (error !== undefined)
    return [
      violation(
        'A list follows from the whole shortlist.',
        error.text,
        rowAt(list.table, 'current', list.identity[0])?.id,
        error.sign,
      ),
    ];
  const lines: ComparedLine[] = [];
  for (const [index, item] of items.entries()) {
    await turn();
    lines.push(...itemLines(list, index, item, byIdentity.get(shown[index]), facts));
  }
  return [...lines, ...(isWhole ? cursorLines(answer, start, all.length) : [])];
};
