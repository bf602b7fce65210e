import { storedReason } from './checks/members.ts';
import { type DifferenceGroup, groupDifferences } from './differences.ts';
import type { CaseResult } from './results.ts';

/** What a reader has to look into: differences of one kind, and those that follow from them. */
export interface Cause extends DifferenceGroup {
  readonly followers: readonly DifferenceGroup[];
}

/** How early a violation comes in what leads to others: an answer that is another one altogether comes before its members. */
const ranks: readonly ((group: DifferenceGroup) => boolean)[] = [
  ({ row = '', reason }) =>
    /^problem\.|^header\.X-Envelope-Served$/.test(row) || reason === 'An answer is 200 in both forms.',
  ({ violation }) => /^Only the \w+ form has it|is listed twice/.test(violation),
  (group) => orderedList(group) !== undefined,
  ({ row = '' }) => /\[\]\.(id|song_name)$/.test(row),
];

const rankOf = (group: DifferenceGroup): number => {
  const rank = ranks.findIndex((isOfRank) => isOfRank(group));
  return rank === -1 ? ranks.length : rank;
};

/** The list whose order a violation is about: `items`, `songs`, `history`. */
const orderedList = ({ violation }: DifferenceGroup): string | undefined =>
  /\b(\w+)(?:\.\w+)?\[\] (?:is out of order|of the (?:current form|first answer) is)/.exec(violation)?.[1];

const caseNames = ({ cases }: DifferenceGroup): Set<string> => new Set(cases.map(({ name }) => name));

/** The items that show a violation, whichever of the checks found it. */
const itemsOf = ({ found }: DifferenceGroup): Set<string> =>
  new Set(found.map(({ one, block }) => `${one.name} ${/items\[\d+\]/.exec(block)?.[0] ?? block}`));

const isWithin = (parts: ReadonlySet<string>, whole: ReadonlySet<string>): boolean =>
  [...parts].every((part) => whole.has(part));

const parentOf = (row: string): string => row.slice(0, row.lastIndexOf('.'));

/** Whether a row is about the elements of the list whose order or element a root is about: then stored values are those of others. */
const isOfList = (row: string, root: Cause): boolean => {
  const list = orderedList(root) ?? /\b(\w+)\[\]\.(id|song_name)$/.exec(root.row ?? '')?.[1];
  return list === 'history' ? row.includes('.history.') : row.includes(`.${list}[].`);
};

/** Whether two rows lose the same thing: members of an element whose identity is lost, or all members of an object. */
const isOneLoss = (group: DifferenceGroup, root: Cause): boolean => {
  const [row, parent] = [group.row ?? '', parentOf(root.row ?? '')];
  const losses = [root, ...root.followers].filter((one) => one.row === root.row).map(({ violation }) => violation);
  if (!losses.includes(group.violation)) return false;
  if (rankOf(root) === 3) return row.startsWith(`${parent}.`);
  return parent === parentOf(row) && parent.includes('.') && !/^\w+\.\w+\[\]$/.test(parent);
};

/** Whether a violation is only what another one leads to. */
const followsFrom = (group: DifferenceGroup, root: Cause): boolean => {
  if (group.row !== undefined && group.row === root.row) return true;
  const rank = rankOf(root);
  if (rank === 0) return isWithin(caseNames(group), caseNames(root));
  if (rank === 1 && group.row === 'envelope.meta.count') return isWithin(caseNames(group), caseNames(root));
  const list = orderedList(root);
  // Lists of artists, spikes and signings are all called items: only in one case is it the same one.
  if (list !== undefined && list === orderedList(group))
    return list !== 'items' || [...caseNames(group)].some((name) => caseNames(root).has(name));
  // Stored values are looked at for every item of an answer, orders for those that the case is about.
  if (group.reason === storedReason && isOfList(group.row ?? '', root))
    return isWithin(caseNames(group), caseNames(root));
  const isLost = rank === 1 ? root.violation.includes('is listed twice') : isOneLoss(group, root);
  return isLost && isWithin(itemsOf(group), itemsOf(root));
};

/**
 * The causes of the unexpected differences of cases, the one in most cases first. What follows from another one is folded under it,
 * so that one cause is told once.
 */
export const causesOf = (cases: readonly CaseResult[]): readonly Cause[] => {
  const byRank = groupDifferences(cases).toSorted(
    (left, right) =>
      rankOf(left) - rankOf(right) || right.cases.length - left.cases.length || right.found.length - left.found.length,
  );
  const roots: (DifferenceGroup & { readonly followers: DifferenceGroup[] })[] = [];
  for (const group of byRank) {
    const root = roots.find((one) => followsFrom(group, one));
    if (root === undefined) roots.push({ ...group, followers: [] });
    else root.followers.push(group);
  }
  return roots.sort((left, right) => right.cases.length - left.cases.length);
};
