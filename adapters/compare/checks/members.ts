import { crosswalk, type MemberTable } from '../../../src/crosswalk/crosswalk.ts';
import { byForm, type ComparedForm } from '../../../src/crosswalk/forms.ts';
import { type Json, listAt, textAt } from '../../../src/crosswalk/json.ts';
import type { ComparisonFacts, MemberRow, RowKind } from '../../../src/crosswalk/rows.ts';
import { checkMember, type RowValues } from './check-member.ts';
import { createPathReader, type ValueAtPath } from './json-paths.ts';
import { firstDisorder, type IndexPair, pairItems } from './pairing.ts';
import { memberRowId, rowIdAt } from './row-ids.ts';

/** A member of an answer. */
export interface ComparedMember {
  readonly path: string;
  readonly value: Json;
}

/** A member with a value; `undefined` without one. */
export const memberOf = (path: string | undefined, value: Json | undefined): ComparedMember | undefined =>
  path === undefined || value === undefined ? undefined : { path, value };

/** What sort of violation a line has, where its row does not tell: causes are ordered and folded by it. */
export type Sign =
  /** Another status, code or form; `change` is equal where the same went wrong. */
  | { readonly of: 'status'; readonly change: string }
  /** An item that one list lacks, or has twice. */
  | { readonly of: 'listing' }
  /** The order of `items`, `songs` or `history`. */
  | { readonly of: 'order'; readonly list: string }
  /** The member that identifies an element of a list. */
  | { readonly of: 'identity'; readonly list: string }
  /** A member that no row has, and what a schema refuses. */
  | { readonly of: 'undeclared' | 'schema' };

/** One statement, and the members of the two forms that it is about. */
export interface ComparedLine {
  /** `undefined` for a statement that is not about a member: an order, a sum, a bound. */
  readonly kind: RowKind | undefined;
  /** The id of the row of the crosswalk that it is about. */
  readonly row?: string | undefined;
  readonly current?: ComparedMember | undefined;
  readonly variant?: ComparedMember | undefined;
  readonly reason: string;
  /** Describes the violation; `undefined` when the statement holds. */
  readonly unexpected?: string | undefined;
  readonly sign?: Sign | undefined;
}

/** The statements about one thing: the responses, their bodies, or one item of each form. */
export interface LineBlock {
  readonly title: string;
  readonly lines: readonly ComparedLine[];
}

/** The reason of every line about a value that is not the stored one. */
export const storedReason = 'What is answered is what is stored.';

/** A line about a violation that no single member causes. */
export const violation = (reason: string, unexpected: string, row?: string, sign?: Sign): ComparedLine => ({
  kind: undefined,
  row,
  reason,
  unexpected,
  sign,
});

/** A list of objects inside an item, of the same name in both forms, and the member that identifies an object. */
interface NestedList {
  readonly list: string;
  readonly identity: string;
}

/** Compares an item of the current form with its counterpart of the variant form, row by row. */
export type CompareMembers = (current: Json, variant: Json, facts: ComparisonFacts) => readonly ComparedLine[];

/** A row, and the value of each form that belongs to it; without a row the value is undeclared. */
interface RowSlot extends RowValues {
  readonly row: MemberRow | undefined;
}

const createFormReader = (rows: readonly MemberRow[], form: ComparedForm) => {
  const rowOf = new Map(rows.flatMap((row) => (row[form] === undefined ? [] : [[row[form], row] as const])));
  return {
    read: createPathReader([...rowOf].map(([pattern, { keys }]) => ({ pattern, keys }))),
    rowOf: ({ pattern = '' }: ValueAtPath) => rowOf.get(pattern),
  };
};

const identitiesIn = (item: Json, { list, identity }: NestedList): string[] =>
  listAt(item, list).map((member) => textAt(member, identity) ?? '');

/** Replaces the index in the variant form's nested list by the index of its counterpart in the current form's. */
const realign = (found: ValueAtPath, { list }: NestedList, pairs: readonly IndexPair[]): ValueAtPath => {
  if (!found.path.startsWith(`${list}[`)) return found;
  const [index, ...rest] = found.at;
  const partner = pairs.find(([, theirs]) => String(theirs) === index)?.[0];
  return { ...found, at: [partner === undefined ? `lost ${index}` : String(partner), ...rest] };
};

const slotKey = (row: MemberRow | undefined, { path, at }: ValueAtPath, form: ComparedForm): string =>
  row === undefined ? `${form} ${path}` : `${row.current ?? row.variant} ${at.join(' ')}`;

/** Rows of one table, with their ids. */
type RowIds = ReadonlyMap<MemberRow, string>;

/** Checks a member. When that throws, of a bug of the row or of data that no check foresees, the error has the id of the row. */
const rowError = (slot: RowSlot & { readonly row: MemberRow }, ids: RowIds, item: Json, facts: ComparisonFacts) => {
  try {
    return checkMember(slot.row, slot, item, facts);
  } catch (cause) {
    const row = ids.get(slot.row);
    throw Object.assign(new Error(`The check of ${row} threw.`, { cause }), { row });
  }
};

const toLine = ({ row, current, variant }: RowSlot, ids: RowIds, item: Json, facts: ComparisonFacts): ComparedLine => ({
  kind: row?.kind,
  row: row && ids.get(row),
  current: memberOf(current?.path, current?.value),
  variant: memberOf(variant?.path, variant?.value),
  reason: row?.reason ?? 'Every member of a form has a row in the crosswalk.',
  sign: row === undefined ? { of: 'undeclared' } : undefined,
  unexpected:
    row === undefined ? 'No row of the crosswalk has it.' : rowError({ row, current, variant }, ids, item, facts),
});

/** Rows about one member that neither form shows, although one of them has to. */
const missingLines = (ids: RowIds, slots: readonly RowSlot[], item: Json, facts: ComparisonFacts): ComparedLine[] => {
  const shown = new Set(slots.map(({ row }) => row));
  return [...ids.keys()]
    .filter((row) => !shown.has(row) && !/\*|\[\]/.test(`${row.current}${row.variant}`))
    .flatMap((row) => {
      const line = toLine({ row }, ids, item, facts);
      return line.unexpected === undefined ? [] : [{ ...line, unexpected: `${row.variant}: ${line.unexpected}` }];
    });
};

const disorderLines = (
  table: MemberTable,
  { list, identity }: NestedList,
  pairs: readonly IndexPair[],
  [ours, theirs]: readonly [readonly string[], readonly string[]],
): ComparedLine[] => {
  const pair = firstDisorder(pairs);
  if (pair === undefined) return [];
  const unexpected = `${list}[${pair[0]}] of the current form is ${list}[${pair[1]}] of the variant form.`;
  const row = rowIdAt(table, `${list}[].${identity}`);
  const line = violation(`${list} have one order in both forms.`, unexpected, row, { of: 'order', list });
  const placeOf = (items: readonly string[], index = 0) => memberOf(`${list}[${index}].${identity}`, items[index]);
  return [{ ...line, current: placeOf(ours, pair[0]), variant: placeOf(theirs, pair[1]) }];
};

/** A comparison of items by the rows of one table. */
export const createMemberComparison = (table: MemberTable, nested?: NestedList): CompareMembers => {
  const rows = crosswalk.members[table];
  const ids: RowIds = new Map(rows.map((row) => [row, memberRowId(table, row)]));
  const { current, variant } = byForm((form) => createFormReader(rows, form));

  const align = (ours: readonly ValueAtPath[], theirs: readonly ValueAtPath[]): RowSlot[] => {
    const byKey = new Map(theirs.map((found) => [slotKey(variant.rowOf(found), found, 'variant'), found]));
    const slots = ours.map((found): RowSlot => {
      const row = current.rowOf(found);
      const partner = byKey.get(slotKey(row, found, 'current'));
      return { row, current: found, variant: partner };
    });
    // A value of the variant form alone comes after the value that precedes it there.
    let next = 0;
    for (const found of theirs) {
      const index = slots.findIndex((slot) => slot.variant === found);
      if (index === -1) slots.splice(next, 0, { row: variant.rowOf(found), variant: found });
      next = (index === -1 ? next : index) + 1;
    }
    return slots;
  };

  return (ourItem, theirItem, facts) => {
    const identities = [ourItem, theirItem].map((item) => (nested ? identitiesIn(item, nested) : []));
    const [ourSongs = [], theirSongs = []] = identities;
    const pairs = pairItems(ourSongs, theirSongs);
    const theirs = variant.read(theirItem).map((found) => (nested ? realign(found, nested, pairs) : found));
    const slots = align(current.read(ourItem), theirs);
    const identityPath = nested && `${nested.list}[].${nested.identity}`;
    const sign: Sign | undefined = nested && { of: 'identity', list: nested.list };
    const lines = slots.map((slot) => toLine(slot, ids, ourItem, facts));
    return [
      ...lines.map((line, index) => (slots[index]?.row?.current === identityPath ? { ...line, sign } : line)),
      ...missingLines(ids, slots, ourItem, facts),
      ...(nested ? disorderLines(table, nested, pairs, [ourSongs, theirSongs]) : []),
    ];
  };
};
