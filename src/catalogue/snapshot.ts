import type { Day } from '../domain/day.ts';
import type { Artist, Signing, Tier } from '../domain/model.ts';
import { compareArtists, type Position } from '../domain/order.ts';
import type { CatalogueContents, ListedArtist, RejectedDocument } from '../ports.ts';
import { forEachYielding, type YieldingWork } from '../runtime/cooperative.ts';
import { createNameIndex, foldName, type NameIndex } from './name-index.ts';
import { type Signings, signingSteps } from './signings.ts';

/** The immutable shortlist with its indexes. A place is an index into `listed`, which is in list order. */
export interface Snapshot {
  readonly contents: CatalogueContents;
  readonly listed: readonly ListedArtist[];
  readonly byId: ReadonlyMap<string, number>;
  readonly byDocumentId: ReadonlyMap<string, number>;
  /** Ascending places. */
  readonly byTier: ReadonlyMap<string, readonly number[]>;
  readonly names: NameIndex;
  /** Names as they are compared, by place. */
  readonly folded: readonly string[];
  readonly found: Signings;
  /** Everything that belongs on the signings list, with nothing hidden yet, in its order. */
  readonly signings: readonly Signing[];
  /** Alphabetical. */
  readonly labels: readonly string[];
  /** What the source left out, and the documents whose identifier was already taken. */
  readonly rejected: readonly RejectedDocument[];
}

function* withoutDuplicates(
  contents: CatalogueContents,
): YieldingWork<{ kept: ListedArtist[]; rejected: RejectedDocument[] }> {
  const kept: ListedArtist[] = [];
  const rejected: RejectedDocument[] = [...contents.rejected];
  const ids = new Set<string>();
  const documentIds = new Set<string>();
  yield* forEachYielding(contents.artists, (listed) => {
    const { id, documentId } = listed.artist;
    if (ids.has(id) || documentIds.has(documentId)) {
      const reason = `id ${id}: another artist with the same identifier is kept`;
      rejected.push({ collection: 'artists', document: documentId, reason });
      return;
    }
    ids.add(id);
    documentIds.add(documentId);
    kept.push(listed);
  });
  return { kept, rejected };
}

function* placesByTier(listed: readonly ListedArtist[]): YieldingWork<Map<string, number[]>> {
  const byTier = new Map<Tier, number[]>();
  yield* forEachYielding(listed.entries(), ([place, { artist }]) => {
    if (artist.tier === undefined) return;
    const places = byTier.get(artist.tier);
    if (places === undefined) byTier.set(artist.tier, [place]);
    else places.push(place);
  });
  return byTier;
}

const alphabetical = (names: readonly string[]): string[] =>
  [...new Set(names)].sort((left, right) =>
    Buffer.compare(Buffer.from(left.toLowerCase()), Buffer.from(right.toLowerCase())),
  );

/** In list order. Those that were there before stand as they did: what is nearly in order is sorted in a fraction of the time. */
function* inListOrder(artists: readonly ListedArtist[], previous: Snapshot | undefined): YieldingWork<ListedArtist[]> {
  const known = new Array<ListedArtist | undefined>(previous?.listed.length ?? 0).fill(undefined);
  const added: ListedArtist[] = [];
  yield* forEachYielding(artists, (one) => {
    const place = previous?.byId.get(one.artist.id);
    if (place === undefined) added.push(one);
    else known[place] = one;
  });
  const nearly = [...known.filter((one) => one !== undefined), ...added];
  yield;
  return nearly.sort((left, right) => compareArtists(left.artist, right.artist));
}

/** Whether every artist stands where it stood. */
function* isSameOrder(listed: readonly ListedArtist[], { listed: before }: Snapshot): YieldingWork<boolean> {
  let moved = listed.length !== before.length;
  yield* forEachYielding(listed.entries(), ([place, { artist }]) => {
    const there = before[place]?.artist;
    moved ||= there?.id !== artist.id || there.documentId !== artist.documentId;
  });
  return !moved;
}

function* placesBy(listed: readonly ListedArtist[], name: 'id' | 'documentId'): YieldingWork<Map<string, number>> {
  const places = new Map<string, number>();
  yield* forEachYielding(listed, ({ artist }) => places.set(artist[name], places.size));
  return places;
}

function* foldNames(artists: readonly Artist[], previous: Snapshot | undefined): YieldingWork<string[]> {
  const folded: string[] = [];
  yield* forEachYielding(artists, ({ id, name }) => {
    const place = previous?.byId.get(id) ?? -1;
    const isKnown = previous?.listed[place]?.artist.name === name;
    folded.push((isKnown ? previous.folded[place] : undefined) ?? foldName(name));
  });
  return folded;
}

const isSameList = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((text, place) => text === other[place]);

/**
 * Builds the shortlist from what a source loaded, step by step; between two steps others may have their turn. Of artists
 * with the same identifier the first is kept.
 *
 * @param previous the snapshot this one replaces: what did not change is taken over from it
 */
export function* snapshotSteps(contents: CatalogueContents, previous?: Snapshot): YieldingWork<Snapshot> {
  if (previous?.contents === contents) return previous;
  const { kept, rejected } = yield* withoutDuplicates(contents);
  const listed = yield* inListOrder(kept, previous);
  yield;
  const sameOrder = previous !== undefined && (yield* isSameOrder(listed, previous)) ? previous : undefined;
  const byId = sameOrder?.byId ?? (yield* placesBy(listed, 'id'));
  const byDocumentId = sameOrder?.byDocumentId ?? (yield* placesBy(listed, 'documentId'));
  const byTier = yield* placesByTier(listed);
  const artists = listed.map(({ artist }) => artist);
  const folded = yield* foldNames(artists, previous);
  yield;
  const names =
    previous !== undefined && isSameList(folded, previous.folded) ? previous.names : createNameIndex(folded);
  yield;
  const found = yield* signingSteps(artists, contents.labels, previous?.found);
  yield;
  const signings = [...found.byArtist.values()];
  const labels = alphabetical(contents.labels.map(({ name }) => name));
  return { contents, listed, byId, byDocumentId, byTier, names, folded, found, signings, labels, rejected };
}

/** The first index of a sorted list for which `holds` is true; its length when there is none. */
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

/** The first place behind a position, whether or not an artist still stands there. */
export const indexAfter = (snapshot: Snapshot, position: Position): number =>
  firstWhere(snapshot.listed, ({ artist }) => compareArtists(artist, position) > 0);

/** The first place whose artist was added before a day, or at no known day: everything before it was added since. */
export const indexBefore = (snapshot: Snapshot, day: Day): number =>
  firstWhere(snapshot.listed, ({ artist }) => artist.dateAdded === undefined || artist.dateAdded < day);
