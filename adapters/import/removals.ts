import type { StoredDocument } from '../stores/documents/stored-document.ts';
import { type ImportDatabase, readMembers } from '../stores/mongodb/import.ts';
import { walkDocuments } from '../stores/mongodb/walk.ts';
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

const idOf = ({ _id }: StoredDocument): unknown => _id;

/** Finds the stored documents that the input no longer has, of the collections that the input has a file for. */
export const findRemovals = async (
  db: ImportDatabase,
  { artists, labels, collections }: CheckedInput,
): Promise<Removals> => {
  const storedArtists = await readMembers(db, 'artists', ['id']);
  const storedLabels = await readMembers(db, 'labels', ['name']);
  const isRemoved = ({ id }: StoredDocument): boolean => collections.has('artists') && !artists.has(String(id));
  const remaining = new Set(storedArtists.filter((artist) => !isRemoved(artist)).map(({ id }) => String(id)));
  const orphanedSeries: unknown[] = [];
  const withSeries = new Set<string>();
  await walkDocuments(
    db,
    'history',
    ({ _id, artist_id: artistId }) => {
      const id = String(artistId);
      if (remaining.has(id)) withSeries.add(id);
      else if (!artists.has(id)) orphanedSeries.push(_id);
    },
    { members: ['artist_id'] },
  );
  return {
    artists: storedArtists.filter(isRemoved).map(idOf),
    orphanedSeries,
    artistIds: collections.has('history') ? [...withSeries] : [],
    labels: collections.has('labels') ? storedLabels.filter(({ name }) => !labels.has(String(name))).map(idOf) : [],
  };
};
