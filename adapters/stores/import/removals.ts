import { groupBy } from '../../../src/domain/group-by.ts';
import { type ImportDatabase, readMembers, type StoredDocument } from '../mongodb/import.ts';
import type { CheckedInput } from './check-input.ts';
import type { CatalogueCollection } from './input-files.ts';
import { seriesKey, storedSeriesKey } from './stored-document.ts';

/** `_id`s of stored documents that the input no longer has. */
export interface Removals {
  readonly artists: readonly unknown[];
  /** Series of artists that are removed or do not exist. */
  readonly orphanedSeries: readonly unknown[];
  /** Series of artists that remain, by the artist's id: these artists are touched. */
  readonly series: ReadonlyMap<string, readonly unknown[]>;
  readonly labels: readonly unknown[];
}

export const noRemovals: Removals = { artists: [], orphanedSeries: [], series: new Map(), labels: [] };

const idOf = ({ _id }: StoredDocument): unknown => _id;

/** Finds the stored documents that the input no longer has, of the collections that the input has a file for. */
export const findRemovals = async (
  db: ImportDatabase,
  { artists, series, labels }: CheckedInput,
  collections: ReadonlySet<CatalogueCollection>,
): Promise<Removals> => {
  const storedArtists = await readMembers(db, 'artists', ['id']);
  const storedSeries = await readMembers(db, 'history', ['artist_id', 'song_id', 'metric']);
  const storedLabels = await readMembers(db, 'labels', ['name']);
  const inputIds = new Set<unknown>(artists.map(({ model }) => model.id));
  const isRemoved = ({ id }: StoredDocument): boolean => collections.has('artists') && !inputIds.has(id);
  const remaining = new Set<unknown>([
    ...inputIds,
    ...storedArtists.filter((artist) => !isRemoved(artist)).map(({ id }) => id),
  ]);
  const inputSeries = new Set(series.map(({ model }) => seriesKey(model)));
  const removedSeries = storedSeries.filter(
    (one) =>
      collections.has('history') && remaining.has(String(one['artist_id'])) && !inputSeries.has(storedSeriesKey(one)),
  );
  const byArtist = groupBy(removedSeries, ({ artist_id }) => String(artist_id));
  const inputLabels = new Set<unknown>(labels.map(({ model }) => model.name));
  return {
    artists: storedArtists.filter(isRemoved).map(idOf),
    orphanedSeries: storedSeries.filter(({ artist_id }) => !remaining.has(artist_id)).map(idOf),
    series: new Map([...byArtist].map(([id, documents]) => [id, documents.map(idOf)])),
    labels: collections.has('labels') ? storedLabels.filter(({ name }) => !inputLabels.has(name)).map(idOf) : [],
  };
};
