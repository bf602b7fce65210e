import type { DocumentQuery, DocumentStore } from '../stores/database.ts';
import { storedSeriesKey } from '../stores/documents/catalogue-documents.ts';
import type { StoredDocument } from '../stores/documents/stored-document.ts';
import type { CheckedInput, InputArtist, InputDocument } from './check-input.ts';
import { refuseIdConflicts } from './check-references.ts';
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

/** The documents of one collection to write. */
export interface DocumentChanges<Given extends InputDocument = InputDocument> {
  readonly added: readonly Given[];
  /** Each with the stored document that it replaces. */
  readonly replaced: readonly (StoredVersion & { readonly given: Given })[];
}

/** Compares documents of the input with the stored documents that have the same key. */
export const compareDocuments = <Given extends InputDocument>(
  input: readonly Given[],
  stored: readonly StoredDocument[],
  keyOf: (document: StoredDocument) => string,
): DocumentChanges<Given> => {
  const storedByKey = new Map(stored.map((document) => [keyOf(document), document]));
  const replaced = input.flatMap((given) => {
    const before = storedByKey.get(given.key);
    return before === undefined || isStored(given, before) ? [] : [{ ...asRead(before), given }];
  });
  return { added: input.filter(({ key }) => !storedByKey.has(key)), replaced };
};

/** Compares an artist with the stored one; `undefined` when nothing changes. `now` is in epoch milliseconds. */
const compareArtist = (input: InputArtist | undefined, stored: StoredDocument, seriesDiffer: boolean, now: number) => {
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
    /** Whether series of it are written or removed, by this import or by one that was interrupted. */
    withSeries: seriesDiffer || !differs,
    // The instants of change to write before its series, and after them. The last is the input's if it is later than the
    // stored one, otherwise now. They only move forward, because gateways reload an artist when they move.
    begunAt: new Date(before + 1),
    updatedAt: new Date(Math.max(given > before ? given : now, before + 2)),
  };
};

/** Compares the series of some artists; `differing` are the artists of which series are written or removed. */
const compareSeries = async (
  documents: DocumentStore,
  input: CheckedInput,
  artistIds: readonly string[],
  prune: boolean,
) => {
  const given = artistIds.flatMap((id) => input.series.get(id) ?? []);
  const stored = await readAll(documents, 'history', { where: { artist_id: artistIds } });
  const series = compareDocuments(given, stored, storedSeriesKey);
  const keys = new Set(given.map(({ key }) => key));
  const isPruned = prune && input.collections.has('history');
  const removed = isPruned ? stored.filter((one) => !keys.has(storedSeriesKey(one))) : [];
  const written = [...series.added, ...series.replaced.map((replaced) => replaced.given)];
  const differing = new Set([
    ...written.map(({ artistId }) => artistId),
    ...removed.map(({ artist_id }) => String(artist_id)),
  ]);
  return { series, removedSeries: removed.map(asRead), differing };
};

/**
 * Compares some artists, by stable id, and their series with what is stored. An artist that is not in the input may still have
 * series there, or lose some. Returns what an import writes for them.
 */
export const compareBatch = async (
  documents: DocumentStore,
  input: CheckedInput,
  artistIds: readonly string[],
  { prune, now }: { readonly prune: boolean; readonly now: number },
) => {
  const given = artistIds.flatMap((id) => input.artists.get(id) ?? []);
  const documentIds = given.map(({ documentId }) => documentId);
  const stored = await readAll(documents, 'artists', { where: { id: artistIds } });
  const sameDocuments = await readAll(documents, 'artists', { where: { _id: documentIds }, members: ['id'] });
  refuseIdConflicts(given, [...stored, ...sameDocuments], input);
  const { series, removedSeries, differing } = await compareSeries(documents, input, artistIds, prune);
  const storedIds = new Set(stored.map(({ id }) => String(id)));
  const changedArtists = stored.flatMap((artist) => {
    const id = String(artist['id']);
    return compareArtist(input.artists.get(id), artist, differing.has(id), now) ?? [];
  });
  return {
    addedArtists: given.filter(({ key }) => !storedIds.has(key)),
    changedArtists,
    series,
    removedSeries,
    /** How many artists were compared. */
    size: artistIds.length,
  };
};

export type ArtistBatch = Awaited<ReturnType<typeof compareBatch>>;
