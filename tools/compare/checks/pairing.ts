import { groupBy } from '../../../src/domain/groups.ts';

export interface IdPairs {
  documentIdOf(id: string): string | undefined;
  /** Adds a pair that was found in answers, unless one of the two already has a pair. */
  add(id: string, documentId: string): void;
}

export const createIdPairs = (
  known: readonly { readonly current: string; readonly variant: string }[],
): IdPairs => {
  const byId = new Map(known.map(({ current, variant }) => [current, variant]));
  const taken = new Set(byId.values());
  return {
    documentIdOf: (id) => byId.get(id),
    add(id, documentId) {
      if (byId.has(id) || taken.has(documentId)) return;
      byId.set(id, documentId);
      taken.add(documentId);
    },
  };
};

/** The indexes of two items that belong together; `undefined` where one has no partner. */
export type IndexPair = readonly [left: number | undefined, right: number | undefined];

/**
 * Pairs the items of two lists by index and identity: first those with the same identity at the
 * same index, then those with the same identity, then those at the same index, so that a changed
 * identity shows as one difference and not as two lost items. Pairs are in the order of the left
 * list; items of the right list alone come last.
 */
export const pairItems = (
  left: readonly string[],
  right: readonly string[],
): readonly IndexPair[] => {
  const free = new Set(right.keys());
  const partners = new Map<number, number>();
  const pair = (index: number, partner: number | undefined): void => {
    if (partner !== undefined && free.delete(partner)) partners.set(index, partner);
  };
  const unpaired = () => [...left.entries()].filter(([index]) => !partners.has(index));
  for (const [index, identity] of left.entries()) if (right[index] === identity) pair(index, index);
  const elsewhere = groupBy(free, (index) => right[index]);
  for (const [index, identity] of unpaired()) pair(index, elsewhere.get(identity)?.shift());
  for (const [index] of unpaired()) pair(index, index);
  return [
    ...left.map((_, index) => [index, partners.get(index)] as const),
    ...[...free].map((index) => [undefined, index] as const),
  ];
};

/**
 * The first pair that comes before its predecessor in the right list: where the orders of the two
 * lists differ.
 */
export const firstDisorder = (pairs: readonly IndexPair[]): IndexPair | undefined => {
  let highest = -1;
  for (const pair of pairs) {
    const [left, right] = pair;
    if (left === undefined || right === undefined) continue;
    if (right < highest) return pair;
    highest = right;
  }
  return undefined;
};
