import type { DocumentQuery, DocumentStore } from '../../adapters/stores/database.ts';
import { storedSeriesKey } from '../../adapters/stores/documents/catalogue-documents.ts';
import type { StoredDocument } from '../../adapters/stores/documents/stored-document.ts';
import { groupBy } from '../../src/domain/groups.ts';
import type { CheckedInput, InputArtist, InputDocument } from './check-input.ts';
import { refuseIdConflicts, refuseOrphans } from './check-references.ts';
import type { CatalogueCollection } from './input-files.ts';
import { asRead, changedAt, isStored, type StoredVersion, unfinishedMark } from './to-stored.ts';

/** Reads all documents that a query finds. */
export const readAll = async (
  documents: DocumentStore,
  collection: string,
  query?: DocumentQuery,
): Promise<StoredDocument[]> => {
  const found: StoredDocument[] = [];
  for await (const document of documents.find(collection, query)) found.push(document);
  return found;
};

/**
 * The collections of which an import removes what its input does not have: with `--prune` those
 * that the input has a file for.
 */
export type PrunedCollections = ReadonlySet<CatalogueCollection>;

/** The documents of one collection to write. */
export interface DocumentChanges {
  readonly added: readonly InputDocument[];
  /** Each with the stored document that it replaces. */
  readonly replaced: readonly (StoredVersion & { readonly given: InputDocument })[];
  /** Stored documents that the input no longer has. */
  readonly removed: readonly StoredVersion[];
}

/**
 * Compares documents of the input, by their keys, with the stored ones. `prune`: whether to remove
 * those that the input does not have.
 */
export const compareDocuments = (
  input: readonly InputDocument[],
  stored: readonly StoredDocument[],
  keyOf: (document: StoredDocument) => string,
  prune: boolean,
): DocumentChanges => {
  const storedByKey = new Map(stored.map((document) => [keyOf(document), document]));
  const replaced = input.flatMap((given) => {
    const before = storedByKey.get(given.key);
    return before === undefined || isStored(given, before) ? [] : [{ ...asRead(before), given }];
  });
  const keys = new Set(input.map(({ key }) => key));
  const removed = prune ? stored.filter((document) => !keys.has(keyOf(document))).map(asRead) : [];
  return { added: input.filter(({ key }) => !storedByKey.has(key)), replaced, removed };
};

/** Whether there is anything to write. */
export const isChange = (changes: DocumentChanges | undefined): boolean =>
  changes !== undefined && Object.values(changes).some(({ length }) => length > 0);

/** The changes of several lists of documents as those of one. */
export const joinChanges = (all: readonly DocumentChanges[]): DocumentChanges => ({
  added: all.flatMap(({ added }) => added),
  replaced: all.flatMap(({ replaced }) => replaced),
  removed: all.flatMap(({ removed }) => removed),
});

/**
 * Compares an artist with the stored one; `undefined` when nothing changes. `now` is in epoch
 * milliseconds.
 */
const compareArtist = (
  input: InputArtist | undefined,
  stored: StoredDocument,
  seriesDiffer: boolean,
  now: number,
) => {
  const [given, before] = [input?.changedAt ?? 0, changedAt(stored)];
  const differs = input !== undefined && (given > before || !isStored(input, stored));
  if (!differs && !seriesDiffer && !(unfinishedMark in stored)) return undefined;
  return {
    id: String(stored['id']),
    _id: stored['_id'],
    /** Whoever else changes the artist moves its instant. */
    before: { ...asRead(stored).before, updated_at: stored['updated_at'] },
    /** Its new document, unless only its series change. */
    given: differs ? input : undefined,
    /**
     * Whether series of it are written or removed, by this import or by one that was interrupted.
     */
    withSeries: seriesDiffer || !differs,
    // The instants of change to write before its series, and after them. The last is the input's if
    // it is later than the stored one, otherwise now. They only move forward, because gateways
    // reload an artist when they move.
    begunAt: new Date(before + 1),
    updatedAt: new Date(Math.max(given > before ? given : now, before + 2)),
  };
};

/**
 * Compares some artists, by stable id, and their series with what is stored. An artist that is not
 * in the input may still have series there, or lose some. Refuses what cannot be beside the stored
 * artists. Returns what an import writes for them.
 */
export const compareBatch = async (
  documents: DocumentStore,
  input: CheckedInput,
  artistIds: readonly string[],
  pruned: PrunedCollections,
  now: number,
) => {
  const given = artistIds.flatMap((id) => input.artists.get(id) ?? []);
  const documentIds = given.map(({ documentId }) => documentId);
  const stored = await readAll(documents, 'artists', { where: { id: artistIds } });
  const sameDocuments = await readAll(documents, 'artists', {
    where: { _id: documentIds },
    members: ['id'],
  });
  refuseIdConflicts(given, [...stored, ...sameDocuments], input);
  // a series may not refer to an artist that is removed
  refuseOrphans(input, artistIds, pruned.has('artists') ? [] : stored);
  const storedSeries = await readAll(documents, 'history', { where: { artist_id: artistIds } });
  const storedByArtist = groupBy(storedSeries, ({ artist_id }) => String(artist_id));
  const compareSeries = (id: string): DocumentChanges => {
    const [series, storedOnes] = [input.series.get(id) ?? [], storedByArtist.get(id) ?? []];
    return compareDocuments(series, storedOnes, storedSeriesKey, pruned.has('history'));
  };
  const series = new Map(artistIds.map((id) => [id, compareSeries(id)]));
  const storedIds = new Set(stored.map(({ id }) => String(id)));
  const changedArtists = stored.flatMap((artist) => {
    const id = String(artist['id']);
    return compareArtist(input.artists.get(id), artist, isChange(series.get(id)), now) ?? [];
  });
  return {
    addedArtists: given.filter(({ key }) => !storedIds.has(key)),
    changedArtists,
    series: joinChanges([...series.values()]),
    /** How many artists were compared. */
    size: artistIds.length,
  };
};

export type ArtistBatch = Awaited<ReturnType<typeof compareBatch>>;
