import { isDeepStrictEqual } from 'node:util';
import { crosswalk, type MemberTable } from '../../../src/crosswalk/crosswalk.ts';
import { isObject, type Json, listAt, textAt, valueAt } from '../../../src/crosswalk/json.ts';
import type { ComparisonFacts } from '../../../src/crosswalk/rows.ts';
import { itemsIn, pathBelow, type SideResponse } from '../cases/send-request.ts';
import { hiddenBecause } from './check-member.ts';
import { createPathReader } from './json-paths.ts';
import type { ListCheck, StoredArtists, Turn, WholeShortlist } from './list-check.ts';
import { type ComparedLine, memberOf, storedReason, violation } from './members.ts';
import { rowIdAt } from './row-ids.ts';

/** A stored map that has no declared key shows as an empty map. */
const isEmptyMap = (value: Json): boolean => isObject(value) && Object.keys(value).length === 0;

/** Values by path, without undeclared and hidden members. */
const declaredValues = (table: MemberTable, facts: ComparisonFacts): ((item: Json) => Map<string, Json>) => {
  const rows = crosswalk.members[table].filter((row) => hiddenBecause(row, 'current', facts) === undefined);
  const read = createPathReader(
    rows.flatMap(({ current, keys }) => (current === undefined ? [] : [{ pattern: current, keys }])),
  );
  return (item) =>
    new Map(
      read(item)
        .filter(({ pattern, value }) => pattern !== undefined && !isEmptyMap(value))
        .map(({ path, value }) => [path, value]),
    );
};

const differing = (
  table: MemberTable,
  path: string,
  shown: Json | undefined,
  stored: Json | undefined,
): ComparedLine => ({
  kind: undefined,
  row: rowIdAt(table, path),
  reason: storedReason,
  current: memberOf(path, shown),
  unexpected:
    stored === undefined ? `${path}: nothing like this is stored.` : `${path}: stored is ${JSON.stringify(stored)}.`,
});

/** Checks the items of an answer of the current form against those that follow from the stored artists. */
const itemLines = async (
  { table, identity: [artistId] }: ListCheck,
  pairs: readonly (readonly [shown: Json, stored: Json | undefined])[],
  facts: ComparisonFacts,
  turn: Turn,
): Promise<ComparedLine[]> => {
  const read = declaredValues(table, facts);
  const lines: ComparedLine[] = [];
  for (const [index, [item, expected]] of pairs.entries()) {
    await turn();
    const [shown, stored] = [read(item), read(expected ?? null)];
    const paths = expected === undefined ? [artistId] : [...new Set([...shown.keys(), ...stored.keys()])];
    for (const path of paths) {
      if (isDeepStrictEqual(shown.get(path), stored.get(path))) continue;
      const line = differing(table, path, shown.get(path), stored.get(path));
      lines.push({ ...line, unexpected: `items[${index}] ${line.unexpected}` });
    }
  }
  return lines;
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
    return [{ ...line, current: memberOf('meta', value) }];
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
        rowIdAt(list.table, list.identity[0]),
        error.sign,
      ),
    ];
  const pairs = items.map((item, index) => [item, byIdentity.get(shown[index])] as const);
  return [...(await itemLines(list, pairs, facts, turn)), ...(isWhole ? cursorLines(answer, start, all.length) : [])];
};
