import { type Json, listAt, textAt } from '../../../src/crosswalk/json.ts';
import type { Facts, Kind, MemberRow } from '../../../src/crosswalk/rows.ts';
import type { FormName } from '../../../src/domain/caller.ts';
import { checkMember } from './check-member.ts';
import { createLeafReader, type ValueAtPath } from './json-paths.ts';
import { firstDisorder, type PlacePair, pairPlaces } from './pairing.ts';

/** A value and where it stands. */
export interface MemberName {
  readonly path: string;
  readonly value: Json;
}

/** One statement and what the two forms say to it, side by side. */
export interface Line {
  /** `undefined` for what is no member: an order, a sum, a bound. */
  readonly kind: Kind | undefined;
  readonly current?: MemberName | undefined;
  readonly variant?: MemberName | undefined;
  readonly reason: string;
  /** What is wrong, in words; `undefined` when all is as the crosswalk says. */
  readonly unexpected?: string | undefined;
}

/** A list of objects inside an item, of the same name in both forms, and the member that says which object is which. */
export interface NestedList {
  readonly list: string;
  readonly identity: string;
}

/** Compares an item of the current form with its counterpart of the variant form, row by row. */
export type CompareMembers = (current: Json, variant: Json, facts: Facts) => readonly Line[];

/** A row and what each form has of it; no row for what none declares. */
interface Slot {
  readonly row: MemberRow | undefined;
  readonly current?: ValueAtPath;
  readonly variant?: ValueAtPath;
}

const declaredBy = (rows: readonly MemberRow[], form: FormName) =>
  rows.flatMap((row) => (row[form] === undefined ? [] : [{ pattern: row[form], row }]));

const createSide = (rows: readonly MemberRow[], form: FormName) => {
  const declared = declaredBy(rows, form);
  const rowOf = new Map(declared.map(({ pattern, row }) => [pattern, row]));
  return {
    read: createLeafReader(declared.map(({ pattern, row }) => ({ pattern, keys: row.keys }))),
    rowOf: ({ pattern = '' }: ValueAtPath) => rowOf.get(pattern),
  };
};

const identitiesIn = (item: Json, { list, identity }: NestedList): string[] =>
  listAt(item, list).map((member) => textAt(member, identity) ?? '');

/** Tells places in the variant form's nested list by the places of their counterparts. */
const realign = (leaf: ValueAtPath, nested: NestedList, pairs: readonly PlacePair[]): ValueAtPath => {
  if (!leaf.path.startsWith(`${nested.list}[`)) return leaf;
  const [place, ...rest] = leaf.at;
  const partner = pairs.find(({ variant }) => String(variant) === place)?.current;
  return { ...leaf, at: [partner === undefined ? `lost ${place}` : String(partner), ...rest] };
};

const keyOf = (row: MemberRow | undefined, leaf: ValueAtPath, form: FormName): string =>
  row === undefined ? `${form} ${leaf.path}` : `${row.current ?? row.variant} ${leaf.at.join(' ')}`;

const toMember = (leaf: ValueAtPath | undefined): MemberName | undefined =>
  leaf && { path: leaf.path, value: leaf.value };

const toLine = ({ row, current, variant }: Slot, item: Json, facts: Facts): Line => ({
  kind: row?.kind,
  current: toMember(current),
  variant: toMember(variant),
  reason: row?.reason ?? 'Every member of a form stands in a row of the crosswalk.',
  unexpected: row === undefined ? 'It stands in no row.' : checkMember({ row, current, variant, item }, facts),
});

const isSingle = (row: MemberRow): boolean => !/\*|\[\]/.test(`${row.current}${row.variant}`);

/** Rows that neither form shows: there may be something that had to be shown. */
const missingLines = (rows: readonly MemberRow[], slots: readonly Slot[], item: Json, facts: Facts): Line[] => {
  const seen = new Set(slots.map(({ row }) => row));
  return rows
    .filter((row) => isSingle(row) && !seen.has(row))
    .map((row) => {
      const line = toLine({ row }, item, facts);
      return line.unexpected === undefined ? line : { ...line, unexpected: `${row.variant}: ${line.unexpected}` };
    })
    .filter(({ unexpected }) => unexpected !== undefined);
};

const disorderLines = (nested: NestedList, pairs: readonly PlacePair[]): Line[] => {
  const pair = firstDisorder(pairs);
  if (pair === undefined) return [];
  const unexpected = `${nested.list}[${pair.current}] of the current form is ${nested.list}[${pair.variant}] of the variant form.`;
  return [{ kind: undefined, reason: `${nested.list} have one order in both forms.`, unexpected }];
};

/** A comparison of items by the rows of one table. */
export const createMemberComparison = (rows: readonly MemberRow[], nested?: NestedList): CompareMembers => {
  const current = createSide(rows, 'current');
  const variant = createSide(rows, 'variant');

  const align = (ours: readonly ValueAtPath[], theirs: readonly ValueAtPath[]): Slot[] => {
    const waiting = new Map(theirs.map((leaf) => [keyOf(variant.rowOf(leaf), leaf, 'variant'), leaf]));
    const slots: Slot[] = ours.map((leaf) => {
      const row = current.rowOf(leaf);
      const partner = waiting.get(keyOf(row, leaf, 'current'));
      return partner === undefined ? { row, current: leaf } : { row, current: leaf, variant: partner };
    });
    // What only the variant form shows goes behind what stands before it there.
    let place = 0;
    for (const leaf of theirs) {
      const found = slots.findIndex((slot) => slot.variant === leaf);
      if (found === -1) slots.splice(place, 0, { row: variant.rowOf(leaf), variant: leaf });
      place = (found === -1 ? place : found) + 1;
    }
    return slots;
  };

  return (ourItem, theirItem, facts) => {
    const pairs = nested ? pairPlaces(identitiesIn(ourItem, nested), identitiesIn(theirItem, nested)) : [];
    const theirs = variant.read(theirItem).map((leaf) => (nested ? realign(leaf, nested, pairs) : leaf));
    const slots = align(current.read(ourItem), theirs);
    return [
      ...slots.map((slot) => toLine(slot, ourItem, facts)),
      ...missingLines(rows, slots, ourItem, facts),
      ...(nested ? disorderLines(nested, pairs) : []),
    ];
  };
};
