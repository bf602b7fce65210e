import { isDeepStrictEqual } from 'node:util';
import type { ComparedLine, ViolationType } from './checks/lines.ts';
import { type DifferenceGroup, groupDifferences } from './differences.ts';
import type { CaseResult } from './results.ts';

export interface Cause extends DifferenceGroup {
  readonly consequences: readonly DifferenceGroup[];
}

interface Root extends DifferenceGroup {
  readonly consequences: DifferenceGroup[];
  readonly names: Set<string>;
  readonly rows: Set<string | undefined>;
}

const lineOf = ({ found }: DifferenceGroup): ComparedLine => found[0].line;

/** Row of the spike window. If the window is wrong, every spike differs. */
const windowRow = 'envelope.meta.window.days';

/** Order in which to fix groups: statuses, headers, the spike window, the rest (`usualRank`). */
const ranks: Readonly<Partial<Record<ViolationType['type'], number>>> = {
  status: 0,
  listing: 3,
  order: 4,
  identity: 5,
  schema: 7,
};
const usualRank = 6;

const rankOf = (group: DifferenceGroup): number => {
  const { row = '' } = group;
  const type = lineOf(group).violates?.type;
  const rank = type && ranks[type];
  if (rank === 0) return rank;
  return row.startsWith('header.') ? 1 : row === windowRow ? 2 : (rank ?? usualRank);
};

const caseNames = ({ cases }: DifferenceGroup): readonly string[] => cases.map(({ name }) => name);

const isWithin = (parts: readonly string[], whole: ReadonlySet<string>): boolean =>
  parts.every((part) => whole.has(part));

/**
 * The object inside an item that contains a row's member, such as `editorial`; `undefined` for an
 * element of a list.
 */
const containerOf = ({ row = '' }: DifferenceGroup): string | undefined => {
  const last = row.split('.').slice(1, -1).at(-1);
  return last?.endsWith('[]') ? undefined : last;
};

const valuesOf = ({ left, right, stored }: ComparedLine) => [left?.value, (right ?? stored)?.value];

const isLoss = (line: ComparedLine): boolean => valuesOf(line).includes(undefined);

const isSwapped = (group: DifferenceGroup, { found: [ours] }: Root): boolean => {
  const theirs = group.found.find(
    ({ one, block }) => one.name === ours.one.name && block === ours.block,
  );
  const [here, there] = [valuesOf(ours.line), theirs && valuesOf(theirs.line)];
  // Lines about no member, such as invariants, have no values to swap.
  return here.some((value) => value !== undefined) && isDeepStrictEqual(here, there?.toReversed());
};

/** True if one error about scopes shows members without their scope, and hides them with it. */
const isOneDisclosure = (group: DifferenceGroup, root: Root): boolean =>
  [group, root]
    .map(lineOf)
    .every(
      (line) => line.violates?.type === 'scope' && (line.kind === 'scope-gated' || isLoss(line)),
    );

const isOneLoss = (group: DifferenceGroup, root: Root): boolean => {
  const { violates } = lineOf(root);
  const { row = '' } = group;
  const isSame =
    root.violation === group.violation ||
    root.reason === group.reason ||
    [group, root].map(lineOf).every(isLoss);
  const isInside =
    violates?.type === 'identity'
      ? row.includes(violates.list === 'history' ? '.history.' : `.${violates.list}[].`)
      : containerOf(root) !== undefined && containerOf(root) === containerOf(group);
  return isSame && isInside && isWithin(caseNames(group), root.names);
};

const followsFromStatus = (
  group: DifferenceGroup,
  { names }: Root,
  { change, alsoMissing }: Extract<ViolationType, { type: 'status' }>,
): boolean => {
  const { violates } = lineOf(group);
  if (alsoMissing === 'pages' && violates?.type === 'listing')
    return group.cases.every(({ isPaged }) => isPaged);
  if (typeof alsoMissing === 'object' && group.row?.startsWith(alsoMissing.headers)) return true;
  return (
    (violates?.type === 'status' && violates.change === change) || isWithin(caseNames(group), names)
  );
};

/** True for a header of a quota: a wrong one makes the other quota headers wrong. */
const isOfQuota = ({ row = '' }: DifferenceGroup): boolean => /^header\.(X-)?RateLimit/.test(row);

const followsFrom = (group: DifferenceGroup, root: Root): boolean => {
  if (group.row !== undefined && root.rows.has(group.row)) return true;
  const [own, line] = [lineOf(group), lineOf(root)];
  const isInCases = isWithin(caseNames(group), root.names);
  if (line.violates?.type === 'status') return followsFromStatus(group, root, line.violates);
  if (root.row === windowRow) return isInCases;
  if (root.row?.startsWith('header.')) {
    const isOneNotice = line.violates?.type === 'notice' && own.violates?.type === 'notice';
    return (
      isOneNotice ||
      (isInCases && [group, root].every(isOfQuota)) ||
      group.reason === root.reason ||
      (isInCases && ![own, line].some(({ left, right }) => left ?? right))
    );
  }
  switch (line.violates?.type) {
    case 'listing':
      return group.row === 'envelope.meta.count' && isInCases;
    case 'undeclared': {
      const path = (own.left ?? own.right ?? own.stored)?.path;
      return (
        (line.left ?? line.right)?.path.startsWith(`${path}.`) ||
        (own.violates?.type === 'schema' && isInCases)
      );
    }
    default:
      return isOneDisclosure(group, root) || isOneLoss(group, root);
  }
};

/**
 * The causes of the unexpected differences of cases, in the order to fix them in, then by number
 * of cases. Consequences are folded under their cause.
 */
export const causesOf = (cases: readonly CaseResult[]): readonly Cause[] => {
  const byRank = groupDifferences(cases).toSorted(
    (left, right) =>
      rankOf(left) - rankOf(right) ||
      right.cases.length - left.cases.length ||
      right.found.length - left.found.length,
  );
  const roots: Root[] = [];
  for (const group of byRank) {
    const swapped = roots.find((root) => isSwapped(group, root));
    swapped?.rows.add(group.row);
    const root = swapped ?? roots.find((one) => followsFrom(group, one));
    if (root === undefined)
      roots.push({
        ...group,
        consequences: [],
        names: new Set(caseNames(group)),
        rows: new Set([group.row]),
      });
    root?.consequences.push(group);
    for (const name of caseNames(group)) root?.names.add(name);
  }
  return roots.map(({ names: _names, rows: _rows, ...cause }) => cause);
};
