import type { Day } from '../domain/day.ts';
import type { DocumentFault } from '../domain/document-fault.ts';
import type { Signing, Tier } from '../domain/model.ts';
import { byCodePoint, compareArtists, type Position } from '../domain/order.ts';
import type { CatalogueContents, ListedArtist } from '../ports.ts';
import { forEachYielding, type YieldingWork } from '../runtime/cooperative.ts';
import { listSteps } from './list-order.ts';
import { createNameIndex, foldCase, type NameIndex } from './name-index.ts';
import { type Signings, signingSteps } from './signings.ts';

/** The immutable shortlist and its search indexes. Every number in them is an index into `listed`, which is in list order. */
export interface Snapshot {
  readonly contents: CatalogueContents;
  readonly listed: readonly ListedArtist[];
  readonly byId: ReadonlyMap<string, number>;
  readonly byDocumentId: ReadonlyMap<string, number>;
  /** Ascending. */
  readonly byTier: ReadonlyMap<string, readonly number[]>;
  readonly names: NameIndex;
  /** Folded names, parallel to `listed`. */
  readonly folded: readonly string[];
  readonly found: Signings;
  /** The signings list, in its order and before disclosure. */
  readonly signings: readonly Signing[];
  /** Alphabetical. */
  readonly labels: readonly string[];
  /** Those of the contents, and documents with an identifier that an earlier document has. */
  readonly faults: readonly DocumentFault[];
}

function* indexesByTier(listed: readonly ListedArtist[]): YieldingWork<Map<string, number[]>> {
  const byTier = new Map<Tier, number[]>();
  yield* forEachYielding(listed, ({ artist }, index) => {
    if (artist.tier === undefined) return;
    const indexes = byTier.get(artist.tier);
    if (indexes === undefined) byTier.set(artist.tier, [index]);
    else indexes.push(index);
  });
  return byTier;
}

const alphabetical = (names: readonly string[]): string[] =>
  [...new Set(names)].sort(
    (left, right) => byCodePoint(left.toLowerCase(), right.toLowerCase()) || byCodePoint(left, right),
  );

function* indexesBy(listed: readonly ListedArtist[], name: 'id' | 'documentId'): YieldingWork<Map<string, number>> {
  const indexes = new Map<string, number>();
  yield* forEachYielding(listed, ({ artist }) => indexes.set(artist[name], indexes.size));
  return indexes;
}

function* foldCases(listed: readonly ListedArtist[], previous: Snapshot | undefined): YieldingWork<string[]> {
  const folded: string[] = [];
  yield* forEachYielding(listed, ({ artist: { id, name } }) => {
    const index = previous?.byId.get(id) ?? -1;
    const unchanged = previous?.listed[index]?.artist.name === name;
    folded.push((unchanged ? previous.folded[index] : undefined) ?? foldCase(name));
  });
  return folded;
}

/** Whether all artists have the same name, and all the same tier, as those at the same indexes of another list. */
function* compareMembers(listed: readonly ListedArtist[], others: readonly ListedArtist[]) {
  const same = { name: true, tier: true };
  yield* forEachYielding(listed, (one, index) => {
    const other = others[index];
    if (one === other) return;
    same.name &&= one.artist.name === other?.artist.name;
    same.tier &&= one.artist.tier === other?.artist.tier;
  });
  return same;
}

/**
 * Builds a snapshot in steps, so that requests are served in between.
 *
 * @param previous the snapshot this one replaces; its unchanged parts are reused
 */
export function* snapshotSteps(contents: CatalogueContents, previous?: Snapshot): YieldingWork<Snapshot> {
  if (previous?.contents === contents) return previous;
  const { listed, faults, sameOrder } = yield* listSteps(contents, previous);
  yield;
  const same = sameOrder && (yield* compareMembers(listed, sameOrder.listed));
  const sameNames = same?.name === true ? sameOrder : undefined;
  const sameTiers = same?.tier === true ? sameOrder : undefined;
  const byId = sameOrder?.byId ?? (yield* indexesBy(listed, 'id'));
  const byDocumentId = sameOrder?.byDocumentId ?? (yield* indexesBy(listed, 'documentId'));
  const byTier = sameTiers?.byTier ?? (yield* indexesByTier(listed));
  const folded = sameNames?.folded ?? (yield* foldCases(listed, previous));
  yield;
  const names = sameNames?.names ?? createNameIndex(folded);
  yield;
  const found = yield* signingSteps(listed, contents.labels, previous);
  yield;
  const signings = [...found.byArtist.values()];
  const labels = alphabetical(contents.labels.map(({ name }) => name));
  return { contents, listed, byId, byDocumentId, byTier, names, folded, found, signings, labels, faults };
}

/** Binary search: the first index of a sorted list whose item satisfies `holds`; the length when none does. */
export const firstWhere = <Item>(items: readonly Item[], holds: (item: Item) => boolean): number => {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && holds(item)) high = middle;
    else low = middle + 1;
  }
  return low;
};

/** The first index after a position, whether or not the artist at that position still exists. */
export const indexAfter = (snapshot: Snapshot, position: Position): number =>
  firstWhere(snapshot.listed, ({ artist }) => compareArtists(artist, position) > 0);

/** The first index whose artist was added before `day` or on an unknown day. All lower ones were added on `day` or later. */
export const indexBefore = (snapshot: Snapshot, day: Day): number =>
  firstWhere(snapshot.listed, ({ artist }) => artist.dateAdded === undefined || artist.dateAdded < day);
