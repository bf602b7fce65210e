import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Day } from '../domain/day.ts';
import type { DocumentFault } from '../domain/document-fault.ts';
import type { Tier } from '../domain/model.ts';
import { compareArtists, firstWhere, orderLabels, type Position } from '../domain/order.ts';
import type { CatalogueContents, ListedArtist } from '../ports.ts';
import { forEachInTurns, sortInTurns } from '../runtime/cooperative.ts';
import { createNameIndex, foldCase, type NameIndex } from './name-index.ts';
import { findSignings, type Signings } from './signings.ts';

/**
 * The immutable shortlist and its search indexes. All numbers in the indexes are positions in
 * `listed`.
 */
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
  readonly signings: Signings;
  /** Alphabetical. */
  readonly labels: readonly string[];
  /** Identifies artists and labels; equal on all replicas. */
  readonly identity: string;
  /** Faults of the contents, and documents whose identifier an earlier document has. */
  readonly faults: readonly DocumentFault[];
}

/**
 * A text that changes when the artist's data changes, the same on every replica. Includes the
 * document id: a document that replaces another may have the same change time.
 */
export const identityOf = ({ artist, content = '' }: ListedArtist): string =>
  `${artist.id} ${artist.documentId}@${artist.updatedAt}${content}`;

/** Keeps the first of several artists with the same identifier, and reports the others. */
const withoutDuplicates = async (contents: CatalogueContents) => {
  const artists: ListedArtist[] = [];
  const faults: DocumentFault[] = [...contents.faults];
  const ids = new Set<string>();
  const documentIds = new Set<string>();
  await forEachInTurns(contents.artists, (one) => {
    const { id, documentId } = one.artist;
    if (ids.has(id) || documentIds.has(documentId)) {
      const reason = `id ${id}: another artist with the same identifier is kept`;
      faults.push({
        event: 'invalid document ignored',
        collection: 'artists',
        document: documentId,
        reason,
      });
      return;
    }
    ids.add(id);
    documentIds.add(documentId);
    artists.push(one);
  });
  return { artists, faults };
};

const indexesByTier = async (listed: readonly ListedArtist[]): Promise<Map<string, number[]>> => {
  const byTier = new Map<Tier, number[]>();
  await forEachInTurns(listed, ({ artist }, index) => {
    if (artist.tier === undefined) return;
    const indexes = byTier.get(artist.tier);
    if (indexes === undefined) byTier.set(artist.tier, [index]);
    else indexes.push(index);
  });
  return byTier;
};

const indexesBy = async (
  listed: readonly ListedArtist[],
  name: 'id' | 'documentId',
): Promise<Map<string, number>> => {
  const indexes = new Map<string, number>();
  await forEachInTurns(listed, ({ artist }) => indexes.set(artist[name], indexes.size));
  return indexes;
};

/**
 * Creates a snapshot in steps, so that requests are served in between.
 *
 * @param previous the snapshot to replace; the signings of its unchanged artists are reused
 */
export const createSnapshot = async (
  contents: CatalogueContents,
  previous?: Snapshot,
): Promise<Snapshot> => {
  const { artists, faults } = await withoutDuplicates(contents);
  const listed = await sortInTurns(artists, (left, right) =>
    compareArtists(left.artist, right.artist),
  );
  const digest = createHash('sha256').update(JSON.stringify(contents.labels));
  await forEachInTurns(listed, (one) => digest.update(`\n${identityOf(one)}`));
  const identity = digest.digest('base64url');
  const byId = await indexesBy(listed, 'id');
  const byDocumentId = await indexesBy(listed, 'documentId');
  const byTier = await indexesByTier(listed);
  const folded: string[] = [];
  await forEachInTurns(listed, ({ artist }) => folded.push(foldCase(artist.name)));
  await nextTurn();
  const names = createNameIndex(folded);
  await nextTurn();
  const signings = await findSignings(listed, contents, previous?.signings);
  const labels = orderLabels(contents.labels.map(({ name }) => name));
  const indexes = { byId, byDocumentId, byTier, names, folded };
  return { contents, listed, ...indexes, signings, labels, identity, faults };
};

/** The first index after a position, even if the artist at that position no longer exists. */
export const indexAfter = (snapshot: Snapshot, position: Position): number =>
  firstWhere(snapshot.listed, ({ artist }) => compareArtists(artist, position) > 0);

/**
 * The first index whose artist was added before `day` or on an unknown day. All lower indexes were
 * added on `day` or later.
 */
export const indexBefore = (snapshot: Snapshot, day: Day): number =>
  firstWhere(
    snapshot.listed,
    ({ artist }) => artist.dateAdded === undefined || artist.dateAdded < day,
  );
