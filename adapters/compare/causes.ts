import { isDeepStrictEqual } from 'node:util';
import { type ComparedLine, type Sign, storedReason } from './checks/lines.ts';
import { type DifferenceGroup, groupDifferences } from './differences.ts';
import type { CaseResult } from './results.ts';

/** What a reader has to look into: differences of one kind, and those that follow from them. */
export interface Cause extends DifferenceGroup {
  readonly followers: readonly DifferenceGroup[];
}

/** A cause while others are folded under it. */
interface Root extends DifferenceGroup {
  readonly followers: DifferenceGroup[];
  /** Its cases, and the items that show it or what follows from it. */
  readonly names: Set<string>;
  readonly places: Set<string>;
  /** Its row, and those of members that have each other's values. */
  readonly rows: Set<string | undefined>;
  readonly signs: Set<Sign | undefined>;
}

const lineOf = ({ found }: DifferenceGroup): ComparedLine => found[0].line;

const signOf = (group: DifferenceGroup): Sign['of'] | undefined => lineOf(group).sign?.of;

/** A window of spikes that is another one than was asked for: then every spike is another one. */
const questionRow = 'envelope.meta.window.days';

/** How early a person would mend what has a sign: after statuses, headers and the question; without one, or another, `usualRank`. */
const ranks: Readonly<Partial<Record<Sign['of'], number>>> = {
  status: 0,
  listing: 3,
  order: 4,
  identity: 5,
  computed: 7,
  schema: 8,
};
const usualRank = 6;

const rankOf = (group: DifferenceGroup): number => {
  const { row = '' } = group;
  const rank = ranks[signOf(group) ?? 'notice'];
  if (rank === 0) return rank;
  return row.startsWith('header.') ? 1 : row === questionRow ? 2 : (rank ?? usualRank);
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
const lossOf = ({ left, right, reason }: ComparedLine): string | undefined => {
  if (reason === storedReason) return left === undefined ? 'not sent' : undefined;
  return left && right ? undefined : `${left === undefined} ${right === undefined}`;
};

const valuesOf = ({ left, right, stored }: ComparedLine) => [left?.value, (right ?? stored)?.value];

/** Whether two members have each other's values in the same item. */
const isSwapped = (group: DifferenceGroup, { found: [ours] }: Root): boolean => {
  const theirs = group.found.find(({ one, block }) => one.name === ours.one.name && block === ours.block);
  const [here, there] = [valuesOf(ours.line), theirs && valuesOf(theirs.line)];
  // Lines about no member, such as invariants, have no values to swap.
  return here.some((value) => value !== undefined) && isDeepStrictEqual(here, there?.toReversed());
};

/** Whether what a key may not see is shown, and what it may see is not, by one mistake about scopes. */
const isOneDisclosure = (group: DifferenceGroup, root: Root): boolean => {
  const [ours, theirs] = [lineOf(root), lineOf(group)];
  const { sign } = theirs;
  const isGated = [ours, theirs].every((line) => line.kind === 'scope-gated' || lossOf(line) !== undefined);
  if (ours.sign?.of !== 'scope' || sign?.of !== 'scope' || !isGated) return false;
  const isSame = [...root.signs].some((one) => one?.of === 'scope' && one.scope === sign.scope);
  return isSame || (lossOf(ours) !== lossOf(theirs) && isWithin(caseNames(group), root.names));
};

/** Whether members of one object are lost or shown by the same mistake. */
const isOneLoss = (group: DifferenceGroup, root: Root): boolean => {
  const [ours, theirs] = [lineOf(root), lineOf(group)];
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

/** Whether a violation is only what one of a status leads to. `refused` are the cases with another status or code. */
const followsFromStatus = (
  group: DifferenceGroup,
  { names }: Root,
  { change, takes }: Extract<Sign, { of: 'status' }>,
  refused: ReadonlySet<string>,
): boolean => {
  const { sign } = lineOf(group);
  if (takes === 'pages' && sign?.of === 'listing') return group.cases.every(({ isPaged }) => isPaged);
  if (typeof takes === 'object' && group.row?.startsWith(takes.headers)) return true;
  const isSame = sign?.of === 'status' && sign.change === change;
  return isSame || (isWithin(caseNames(group), refused) && shares(caseNames(group), names));
};

/** Whether a violation is only what one with a sign leads to. */
const followsFromSign = (
  group: DifferenceGroup,
  root: Root,
  sign: Sign | undefined,
  refused: ReadonlySet<string>,
): boolean => {
  const { sign: own, reason, left, right, stored } = lineOf(group);
  const names = caseNames(group);
  const isStored = reason === storedReason && isWithin(names, root.names);
  switch (sign?.of) {
    case 'status':
      return followsFromStatus(group, root, sign, refused);
    case 'listing':
      if (own?.of === 'listing' && shares(names, root.names)) return true;
      if (group.row === 'envelope.meta.count' && isWithin(names, root.names)) return true;
      return isWithin(itemsOf(group), root.places);
    case 'order':
      // Lists of artists, spikes and signings are all called items: only in one case is it the same one.
      if (own?.of === 'order' && own.list === sign.list) return sign.list !== 'items' || shares(names, root.names);
      // Stored values are looked at for every item of an answer, orders for those that the case is about.
      return isStored && isOfList(group, sign.list);
    case 'identity':
      return isStored && isOfList(group, sign.list);
    case 'notice':
      return own?.of === 'notice';
    case 'undeclared': {
      const { left: ours, right: theirs } = lineOf(root);
      const path = (left ?? right ?? stored)?.path;
      return (ours ?? theirs)?.path.startsWith(`${path}.`) || (own?.of === 'schema' && isWithin(names, root.names));
    }
    default:
      return own?.of === 'computed' && own.from.includes(root.row ?? '') && isWithin(itemsOf(group), root.places);
  }
};

/** Whether a violation is only what another one leads to. */
const followsFrom = (group: DifferenceGroup, root: Root, refused: ReadonlySet<string>): boolean => {
  if (group.row !== undefined && root.rows.has(group.row)) return true;
  if ([...root.signs].some((sign) => followsFromSign(group, root, sign, refused))) return true;
  if (signOf(root) === 'status') return false;
  if (root.row === questionRow) return isWithin(caseNames(group), root.names);
  if (!root.row?.startsWith('header.')) return isOneDisclosure(group, root) || isOneLoss(group, root);
  const isLost = ![lineOf(group), lineOf(root)].some(({ left, right }) => left ?? right);
  return group.reason === root.reason || (isLost && isWithin(caseNames(group), root.names));
};

/** Folds a difference under its cause. */
const fold = (group: DifferenceGroup, root: Root): void => {
  root.followers.push(group);
  if (signOf(group) === 'listing' || signOf(group) === 'scope') root.signs.add(lineOf(group).sign);
  for (const name of caseNames(group)) root.names.add(name);
  for (const item of itemsOf(group)) root.places.add(item);
};

/**
 * The causes of the unexpected differences of cases, in the order in which a person would mend them, then those of most cases first.
 * What follows from a cause is folded under it.
 */
export const causesOf = (cases: readonly CaseResult[]): readonly Cause[] => {
  const byRank = groupDifferences(cases).toSorted(
    (left, right) =>
      rankOf(left) - rankOf(right) || right.cases.length - left.cases.length || right.found.length - left.found.length,
  );
  const refused = new Set(byRank.filter((group) => rankOf(group) === 0).flatMap((group) => [...caseNames(group)]));
  const roots: Root[] = [];
  for (const group of byRank) {
    const swapped = roots.find((root) => isSwapped(group, root));
    swapped?.rows.add(group.row);
    const root = swapped ?? roots.find((one) => followsFrom(group, one, refused));
    if (root !== undefined) fold(group, root);
    else {
      const [names, places, rows] = [caseNames(group), itemsOf(group), new Set([group.row])];
      roots.push({ ...group, followers: [], names, places, rows, signs: new Set([lineOf(group).sign]) });
    }
  }
  return roots.map(({ names: _names, places: _places, rows: _rows, signs: _signs, ...cause }) => cause);
};
