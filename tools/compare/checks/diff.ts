import { isList, isObject, type Json, textAt } from '../../../src/domain/json.ts';
import type { ComparedForm } from '../../migration/mapping/forms.ts';
import type { MemberTable } from '../../migration/mapping/mapping.ts';
import {
  type ComparedLine,
  type ComparedMember,
  disorderLine,
  type Sides,
  type ViolationType,
} from './lines.ts';
import { firstDisorder, type IndexPair, pairItems } from './pairing.ts';
import { declaredRow, type RowAtPath } from './row-ids.ts';

/**
 * A value that is compared as a whole: not a list or an object, or an empty one, or one without a
 * row for anything in it.
 */
interface Leaf extends ComparedMember {
  /** Its path without indexes: `songs[].metrics.streams`. */
  readonly declared: string;
  /** Indexes of the list elements around it; on the right side, of their left counterparts. */
  readonly places: string;
}

type OnList = (
  path: string,
  pairs: readonly IndexPair[],
  identity: string,
  ours: readonly Json[],
) => void;

/** The fields that identify an element of a list: the first that both sides have. */
const identityMembers = ['id', 'song_id', 'song_name', 'date'];

const pairElements = (ours: readonly Json[], theirs: readonly Json[]) => {
  const identity = identityMembers.find((name) =>
    [ours[0], theirs[0]].every((one) => textAt(one, name)),
  );
  const identify = (one: Json): string => textAt(one, identity ?? '') ?? '';
  return identity === undefined
    ? undefined
    : { identity, pairs: pairItems(ours.map(identify), theirs.map(identify)) };
};

/**
 * Every leaf of a value. On the right side, list elements get the places of their counterparts on
 * the left side.
 */
export const leavesOf = (
  whole: Json,
  hasParts: (declared: string) => boolean = () => true,
  left?: Json,
  onList: OnList = () => {},
): readonly Leaf[] => {
  const leaves: Leaf[] = [];
  const visit = (
    value: Json,
    other: Json | undefined,
    path: string,
    declared: string,
    places: string,
  ): void => {
    const isWhole = path !== '' && !hasParts(declared);
    if (isList(value) && value.length > 0 && !isWhole) {
      const ours = isList(other) ? other : [];
      const { pairs, identity = '' } = pairElements(ours, value) ?? {};
      if (pairs !== undefined) onList(path, pairs, identity, ours);
      const placeOf = new Map(pairs?.map(([our, their]) => [their, our ?? `lost ${their}`]));
      for (const [index, element] of value.entries()) {
        const place = placeOf.get(index) ?? index;
        visit(
          element,
          ours[Number(place)],
          `${path}[${index}]`,
          `${declared}[]`,
          `${places} ${place}`,
        );
      }
    } else if (isObject(value) && Object.keys(value).length > 0 && !isWhole) {
      for (const [name, member] of Object.entries(value)) {
        const [at, declaredAt] =
          path === '' ? [name, name] : [`${path}.${name}`, `${declared}.${name}`];
        visit(member, isObject(other) ? other[name] : undefined, at, declaredAt, places);
      }
    } else leaves.push({ path, declared, places, value });
  };
  visit(whole, left, '', '', '');
  return leaves;
};

export interface Slot extends Partial<Sides<ComparedMember | undefined>> {
  readonly at: RowAtPath | undefined;
}

/** The name of the list at a path: all series of an artist or a song are `history`. */
const listName = (path: string): string =>
  /history\.\w+$/.test(path) ? 'history' : (/\w+$/.exec(path)?.[0] ?? path);

const identityPath = new RegExp(`^(.*)\\[\\d+\\]\\.(?:${identityMembers.join('|')})$`);

const violationAt = ({ at, left, right }: Slot): ViolationType | undefined => {
  if (at?.row.scope !== undefined) return { type: 'scope' };
  const path = (left ?? right)?.path ?? '';
  // Most members identify nothing, which is quicker to see than that the pattern does not match.
  if (!identityMembers.includes(path.slice(path.lastIndexOf('.') + 1))) return undefined;
  const [, list] = identityPath.exec(path) ?? [];
  return list === undefined ? undefined : { type: 'identity', list: listName(list) };
};

interface DiffTerms {
  readonly table: MemberTable;
  readonly forms: Sides<ComparedForm>;
  readonly titles: Sides<string>;
  readonly lineOf: (slot: Slot) => ComparedLine | undefined;
}

/**
 * Compares two values member by member: a line for each member, then one for each list in another
 * order.
 */
export const diff = (
  values: Sides<Json>,
  { table, forms, titles, lineOf }: DiffTerms,
): ComparedLine[] => {
  const disorders: ComparedLine[] = [];
  const onList: OnList = (list, pairs, identity, ours) => {
    const [left, right] = firstDisorder(pairs) ?? [];
    if (left === undefined || right === undefined) return;
    const memberAt = (index: number) => ({
      path: `${list}[${index}].${identity}`,
      value: textAt(ours[left], identity) ?? '',
    });
    const row = declaredRow(table, forms.left, `${list}[].${identity}`)?.id;
    disorders.push(
      disorderLine(list, titles, row, { left: memberAt(left), right: memberAt(right) }),
    );
  };
  const slots = new Map<string, Slot>();
  for (const side of ['left', 'right'] as const) {
    const hasParts = (declared: string) =>
      declaredRow(table, forms[side], declared)?.hasParts === true;
    const leaves = leavesOf(
      values[side],
      hasParts,
      side === 'left' ? undefined : values.left,
      onList,
    );
    for (const { path, declared, places, value } of leaves) {
      const found = declaredRow(table, forms[side], declared);
      // If a number replaces an object or a list, the rows of its members do not apply.
      const at = found?.hasParts && !isList(value) && !isObject(value) ? undefined : found;
      const key = at === undefined ? `${forms[side]} ${path}` : `${at.key}${places}`;
      const member = { path, value };
      slots.set(
        key,
        side === 'left' ? { at, left: member } : { at, left: slots.get(key)?.left, right: member },
      );
    }
  }
  const lines = [...slots.values()].flatMap((slot): ComparedLine | [] => {
    const line = lineOf(slot);
    return line === undefined ? [] : { ...line, violates: violationAt(slot) ?? line.violates };
  });
  return [...lines, ...disorders];
};
