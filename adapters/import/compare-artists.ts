import type { DocumentQuery, DocumentStore } from '../stores/database.ts';
import type { StoredDocument } from '../stores/documents/stored-document.ts';
import type { CheckedInput, InputArtist, InputSeries } from './check-input.ts';
import { refuseIdConflicts } from './check-references.ts';
import {
  type ArtistChange,
  compareArtist,
  compareDocuments,
  type DocumentChanges,
  type ImportCounts,
  noCounts,
} from './compare-documents.ts';
import { storedSeriesKey } from './stored-document.ts';

/** The writes of an import for some artists. */
export interface ArtistBatch {
  readonly addedArtists: readonly InputArtist[];
  readonly changedArtists: readonly ArtistChange[];
  readonly series: DocumentChanges<InputSeries>;
  /** `_id`s of stored series. */
  readonly removedSeries: readonly unknown[];
  readonly counts: Readonly<Record<'artists' | 'series', ImportCounts>>;
  /** How many artists were compared. */
  readonly size: number;
}

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

interface CompareOptions {
  readonly prune: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Compares the series of some artists; `differing` are the artists of which series are written or removed. */
const compareSeries = async (
  documents: DocumentStore,
  input: CheckedInput,
  artistIds: readonly string[],
  prune: boolean,
) => {
  const given = artistIds.flatMap((id) => input.series.get(id) ?? []);
  const stored = await readAll(documents, 'history', { where: { artist_id: artistIds } });
  const series = compareDocuments('history', given, stored, storedSeriesKey);
  const keys = new Set(given.map(({ key }) => key));
  const isPruned = prune && input.collections.has('history');
  const removed = isPruned ? stored.filter((one) => !keys.has(storedSeriesKey(one))) : [];
  const written = [...series.added, ...series.replaced.map((replaced) => replaced.given)];
  const differing = new Set([
    ...written.map(({ artistId }) => artistId),
    ...removed.map(({ artist_id }) => String(artist_id)),
  ]);
  return { series, removedSeries: removed.map(({ _id }) => _id), differing };
};

/**
 * Compares some artists, by stable id, and their series with what is stored. An artist that is not in the input may still have
 * series there, or lose some.
 */
export const compareBatch = async (
  documents: DocumentStore,
  input: CheckedInput,
  artistIds: readonly string[],
  { prune, now }: CompareOptions,
): Promise<ArtistBatch> => {
  const given = artistIds.flatMap((id) => input.artists.get(id) ?? []);
  const documentIds = given.map(({ documentId }) => documentId);
  const stored = await readAll(documents, 'artists', { where: { id: artistIds } });
  const sameDocuments = await readAll(documents, 'artists', { where: { _id: documentIds }, members: ['id'] });
  refuseIdConflicts(given, [...stored, ...sameDocuments], input);
  const { series, removedSeries, differing } = await compareSeries(documents, input, artistIds, prune);
  const compared = stored.map((artist) => {
    const id = String(artist['id']);
    return { id, change: compareArtist(input.artists.get(id), artist, differing.has(id), now) };
  });
  const storedIds = new Set(compared.map(({ id }) => id));
  const addedArtists = given.filter(({ key }) => !storedIds.has(key));
  const changedArtists = compared.flatMap(({ change }) => change ?? []);
  const changed = changedArtists.filter((change) => change.given !== undefined).length;
  // An artist that is here only because of its series is not counted as unchanged.
  const unchanged = compared.filter(({ id, change }) => change === undefined && input.artists.has(id)).length;
  const touched = changedArtists.length - changed;
  return {
    addedArtists,
    changedArtists,
    series,
    removedSeries,
    counts: {
      artists: { ...noCounts, created: addedArtists.length, changed, touched, unchanged },
      series: { ...series.counts, removed: removedSeries.length },
    },
    size: artistIds.length,
  };
};
