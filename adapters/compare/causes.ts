import { isDeepStrictEqual } from 'node:util';
import { crosswalk } from '../../src/crosswalk/crosswalk.ts';
import type { Scope } from '../../src/domain/caller.ts';
import { type ComparedLine, type Sign, storedReason } from './checks/members.ts';
import { memberRowId } from './checks/row-ids.ts';
import { type DifferenceGroup, groupDifferences } from './differences.ts';
import type { CaseResult } from './results.ts';

/** What a reader has to look into: differences of one kind, and those that follow from them. */
export interface Cause extends DifferenceGroup {
  readonly followers: readonly DifferenceGroup[];
}

/** A cause while others are folded under it: its cases, and the items that show it or what follows from it. */
interface Root extends DifferenceGroup {
  readonly followers: DifferenceGroup[];
  readonly names: Set<string>;
  readonly places: Set<string>;
}

const lineOf = ({ found }: DifferenceGroup): ComparedLine => found[0].line;

const signs: readonly (Sign['of'] | undefined)[] = ['listing', 'order', 'identity'];

/** A window of spikes that is another one than was asked for: then every spike is another one. */
const questionRow = 'envelope.meta.window.days';

/** How early a person would mend it: statuses, headers, the question, the items of lists, their order, then members. */
const rankOf = (group: DifferenceGroup): number => {
  const { row = '' } = group;
  const { sign } = lineOf(group);
  if (sign?.of === 'status') return 0;
  if (row.startsWith('header.')) return 1;
  if (row === questionRow) return 2;
  const rank = signs.indexOf(sign?.of);
  return rank === -1 ? 3 + signs.length + Number(sign?.of === 'schema') : 3 + rank;
};

const caseNames = ({ cases }: DifferenceGroup): Set<string> => new Set(cases.map(({ name }) => name));

/** The items that show a violation, whichever of the checks found it. */
const itemsOf = ({ found }: DifferenceGroup): Set<string> =>
  new Set(found.map(({ one, block }) => `${one.name} ${/items\[\d+\]/.exec(block)?.[0] ?? block}`));

const isWithin = (parts: ReadonlySet<string>, whole: ReadonlySet<string>): boolean =>
  [...parts].every((part) => whole.has(part));

const shares = (left: ReadonlySet<string>, right: ReadonlySet<string>): boolean =>
  [...left].some((part) => right.has(part));

/** The object inside an item that a row's member is in, whatever holds it: `history.*[]`, `editorial`; none for an element of a list. */
const containerOf = (group: DifferenceGroup): string | undefined => {
  const [last, above] = (group.row ?? '').split('.').slice(1, -1).reverse();
  return last === '*[]' ? `${above}.*[]` : last?.endsWith('[]') ? undefined : last;
};

/** Which of the values is missing; `undefined` when none is. */
const lossOf = ({ current, variant, reason }: ComparedLine): string | undefined => {
  if (reason === storedReason) return current === undefined ? 'not sent' : undefined;
  return current && variant ? undefined : `${current === undefined} ${variant === undefined}`;
};

/** Whether two members have each other's values in the same item. */
const isSwapped = (group: DifferenceGroup, root: DifferenceGroup): boolean => {
  const [ours] = root.found;
  const theirs = group.found.find(({ one, block }) => one.name === ours.one.name && block === ours.block);
  if (theirs === undefined || ours.line.reason === storedReason) return false;
  const [left, right] = [ours.line, theirs.line];
  return (
    isDeepStrictEqual(left.current?.value, right.variant?.value) &&
    isDeepStrictEqual(left.variant?.value, right.current?.value)
  );
};

/** The scope that a key needs to see the member of a row. */
const scopeOf: ReadonlyMap<string | undefined, Scope | undefined> = new Map(
  Object.entries(crosswalk.members).flatMap(([table, rows]) => rows.map((row) => [memberRowId(table, row), row.scope])),
);

/** Whether members of one object, or of one scope, are lost or shown by the same mistake. */
const isOneLoss = (group: DifferenceGroup, root: Root): boolean => {
  const [ours, theirs] = [lineOf(root), lineOf(group)];
  const isGated = [ours, theirs].every((line) => line.kind === 'scope-gated' || lossOf(line) !== undefined);
  if (isGated && scopeOf.get(root.row) !== undefined && scopeOf.get(root.row) === scopeOf.get(group.row)) return true;
  const isSame = root.violation === group.violation || (lossOf(ours) !== undefined && lossOf(ours) === lossOf(theirs));
  const isInside =
    ours.sign?.of === 'identity'
      ? group.row?.startsWith(root.row?.replace(/[^.]+$/, '') ?? '')
      : containerOf(root) !== undefined && containerOf(root) === containerOf(group);
  return isSame && isInside === true && isWithin(itemsOf(group), root.places);
};

/** Whether a row is about the elements of the list whose order or element a root is about: then stored values are those of others. */
const isOfList = ({ row = '' }: DifferenceGroup, list: string): boolean =>
  list === 'history' ? row.includes('.history.') : row.includes(`.${list}[].`);

/** Whether a violation is only what one of a list, an order or an identity leads to. */
const followsInList = (group: DifferenceGroup, root: Root, sign: Sign & { readonly list?: string }): boolean => {
  const { sign: own, reason } = lineOf(group);
  const isSame = shares(caseNames(group), root.names);
  if (sign.of === 'listing')
    return (
      (own?.of === 'listing' && isSame) ||
      isWithin(itemsOf(group), root.places) ||
      (group.row === 'envelope.meta.count' && isWithin(caseNames(group), root.names))
    );
  // Lists of artists, spikes and signings are all called items: only in one case is it the same one.
  if (sign.of === 'order' && own?.of === 'order' && own.list === sign.list) return sign.list !== 'items' || isSame;
  // Stored values are looked at for every item of an answer, orders for those that the case is about.
  return reason === storedReason && isOfList(group, sign.list ?? '') && isWithin(caseNames(group), root.names);
};

/** Whether a violation is only what another one leads to. `refused` are the cases with another status or code. */
const followsFrom = (group: DifferenceGroup, root: Root, refused: ReadonlySet<string>): boolean => {
  if (group.row !== undefined && group.row === root.row) return true;
  const [{ sign }, line] = [lineOf(root), lineOf(group)];
  const names = caseNames(group);
  if (sign?.of === 'status') {
    const isSame = line.sign?.of === 'status' && line.sign.change === sign.change;
    return isSame || (isWithin(names, refused) && shares(names, root.names));
  }
  if (root.row?.startsWith('header.')) {
    const isLost = ![line, lineOf(root)].some(({ current, variant }) => current ?? variant);
    return group.reason === root.reason || (isLost && isWithin(names, root.names));
  }
  if (root.row === questionRow) return isWithin(names, root.names);
  if (line.sign?.of === 'schema' && sign?.of === 'undeclared') return isWithin(names, root.names);
  const isOfList = sign !== undefined && signs.includes(sign.of);
  return (isOfList && followsInList(group, root, sign)) || isOneLoss(group, root) || isSwapped(group, root);
};

/**
 * The causes of the unexpected differences of cases, in the order in which a person would mend them, the one in most cases first. What
 * follows from another one is folded under it, so that one cause is told once.
 */
export const causesOf = (cases: readonly CaseResult[]): readonly Cause[] => {
  const byRank = groupDifferences(cases).toSorted(
    (left, right) =>
      rankOf(left) - rankOf(right) || right.cases.length - left.cases.length || right.found.length - left.found.length,
  );
  const refused = new Set(byRank.filter((group) => rankOf(group) === 0).flatMap((group) => [...caseNames(group)]));
  const roots: Root[] = [];
  for (const group of byRank) {
    const root = roots.find((one) => followsFrom(group, one, refused));
    if (root === undefined) roots.push({ ...group, followers: [], names: caseNames(group), places: itemsOf(group) });
    else {
      root.followers.push(group);
      for (const name of caseNames(group)) root.names.add(name);
      for (const item of itemsOf(group)) root.places.add(item);
    }
  }
  return roots.map(({ names: _names, places: _places, ...cause }) => cause);
};
