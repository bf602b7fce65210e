import type { DocumentStore } from '../stores/database.ts';
import type { CheckedInput } from './check-input.ts';

/** What an import with `--prune` removes, and whose series it has to compare. */
export interface Removals {
  /** `_id`s of stored artists that the input no longer has. */
  readonly artists: readonly unknown[];
  /** `_id`s of series of artists that are removed or do not exist. */
  readonly orphanedSeries: readonly unknown[];
  /** Artists that remain and have stored series: those that the input no longer has are removed with their batch. */
  readonly artistIds: readonly string[];
  /** `_id`s of stored labels that the input no longer has. */
  readonly labels: readonly unknown[];
}

export const noRemovals: Removals = { artists: [], orphanedSeries: [], artistIds: [], labels: [] };

/** Finds the stored documents that the input no longer has, of the collections that the input has a file for. */
export const findRemovals = async (
  documents: DocumentStore,
  { artists, labels, collections }: CheckedInput,
): Promise<Removals> => {
  const removals: Record<'artists' | 'orphanedSeries' | 'labels', unknown[]> = {
    artists: [],
    orphanedSeries: [],
    labels: [],
  };
  const remaining = new Set<string>();
  for await (const { _id, id } of documents.find('artists', { members: ['id'] })) {
    if (collections.has('artists') && !artists.has(String(id))) removals.artists.push(_id);
    else remaining.add(String(id));
  }
  const withSeries = new Set<string>();
  for await (const { _id, artist_id } of documents.find('history', { members: ['artist_id'] })) {
    const id = String(artist_id);
    if (remaining.has(id)) withSeries.add(id);
    else if (!artists.has(id)) removals.orphanedSeries.push(_id);
  }
  if (collections.has('labels')) {
    for await (const { _id, name } of documents.find('labels', { members: ['name'] }))
      if (!labels.has(String(name))) removals.labels.push(_id);
  }
  return { ...removals, artistIds: collections.has('history') ? [...withSeries] : [] };
};
