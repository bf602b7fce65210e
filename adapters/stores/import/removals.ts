import type { StoredDocument } from '../mongodb/import.ts';
import type { CheckedInput } from './check.ts';
import type { CatalogueCollection } from './input-files.ts';
import { seriesKeyIn, seriesKeyOf } from './series-key.ts';

/** What is stored, as far as it tells one document from another. */
export interface StoredNames {
  readonly artists: readonly StoredDocument[];
  readonly series: readonly StoredDocument[];
  readonly labels: readonly StoredDocument[];
}

/** `_id`s of stored documents that the input no longer has. */
export interface Removals {
  readonly artists: readonly unknown[];
  /** Series of artists that go or are gone. */
  readonly orphanedSeries: readonly unknown[];
  /** Series of artists that stay, by the artists' ids: these artists change. */
  readonly series: ReadonlyMap<string, readonly unknown[]>;
  readonly labels: readonly unknown[];
}

export const noRemovals: Removals = { artists: [], orphanedSeries: [], series: new Map(), labels: [] };

const idOf = ({ _id }: StoredDocument): unknown => _id;

/** Finds what the input no longer has, of the collections there was a file for. */
export const findRemovals = (
  stored: StoredNames,
  { artists, series, labels }: CheckedInput,
  collections: ReadonlySet<CatalogueCollection>,
): Removals => {
  const inputArtists = new Set<unknown>(artists.map(({ model }) => model.id));
  const stays = ({ id }: StoredDocument): boolean => !collections.has('artists') || inputArtists.has(id);
  const staying = new Set<unknown>([...inputArtists, ...stored.artists.filter(stays).map(({ id }) => id)]);
  const inputSeries = new Set(series.map(({ model }) => seriesKeyOf(model)));
  const ofStaying = new Map<string, unknown[]>();
  for (const one of stored.series) {
    const artistId = String(one['artist_id']);
    if (!staying.has(artistId) || !collections.has('history') || inputSeries.has(seriesKeyIn(one))) continue;
    ofStaying.set(artistId, [...(ofStaying.get(artistId) ?? []), one['_id']]);
  }
  const inputLabels = new Set<unknown>(labels.map(({ model }) => model.name));
  const goneLabels = stored.labels.filter(({ name }) => !inputLabels.has(name));
  return {
    artists: stored.artists.filter((artist) => !stays(artist)).map(idOf),
    orphanedSeries: stored.series.filter(({ artist_id }) => !staying.has(artist_id)).map(idOf),
    series: ofStaying,
    labels: collections.has('labels') ? goneLabels.map(idOf) : [],
  };
};

const count = (number: number, one: string, several: string): string[] =>
  number === 0 ? [] : [`${number} ${number === 1 ? one : several}`];

/** How much goes, in words; nothing when nothing does. */
export const removalsText = ({ artists, orphanedSeries, series, labels }: Removals): string | undefined => {
  const ofStaying = [...series.values()].reduce((sum, ids) => sum + ids.length, 0);
  const parts = [
    ...count(artists.length, 'artist', 'artists'),
    ...count(orphanedSeries.length + ofStaying, 'series', 'series'),
    ...count(labels.length, 'label', 'labels'),
  ];
  return parts.length === 0 ? undefined : parts.join(', ');
};
