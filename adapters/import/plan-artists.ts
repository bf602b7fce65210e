import type { StoredDocument } from '../stores/documents/stored-document.ts';
import type { ArtistChanges } from '../stores/mongodb/import.ts';
import { type ArtistPlan, planArtist } from './plan-artist.ts';
import { type ImportCounts, noCounts, planDocuments } from './plan-documents.ts';
import { storedSeriesKey } from './stored-document.ts';

interface ArtistDocuments {
  readonly artists: readonly StoredDocument[];
  readonly series: readonly StoredDocument[];
}

/** Some artists with their series, in the input and in the database. */
export interface ArtistComparison {
  /** Stable ids. An artist that is not in the input may still have series there. */
  readonly artistIds: readonly string[];
  readonly input: ArtistDocuments;
  readonly stored: ArtistDocuments;
  /** `_id`s of stored series to remove, by the artist's id. */
  readonly removedSeries: ReadonlyMap<string, readonly unknown[]>;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** The writes of an import for some artists. */
export interface ArtistBatch {
  readonly changes: ArtistChanges;
  readonly artists: ImportCounts;
  readonly series: ImportCounts;
  /** How many artists were compared. */
  readonly size: number;
}

/** Compares some artists and their series with what is stored. */
export const planArtists = ({ artistIds, input, stored, removedSeries, now }: ArtistComparison): ArtistBatch => {
  const inputById = new Map(input.artists.map((artist) => [artist['id'], artist]));
  const storedById = new Map(stored.artists.map((artist) => [artist['id'], artist]));
  const series = planDocuments(input.series, stored.series, storedSeriesKey);
  const written = [...series.added, ...series.replaced.map(({ document }) => document)];
  const changedIds = new Set(written.map((document) => document['artist_id']));
  const seriesDiffer = (id: string): boolean => changedIds.has(id) || removedSeries.has(id);
  const removed = artistIds.flatMap((id) => removedSeries.get(id) ?? []);
  const plans = artistIds.map((id) => planArtist(inputById.get(id), storedById.get(id), seriesDiffer(id), now));
  const count = (kind: ArtistPlan['kind']): number => plans.filter((plan) => plan.kind === kind).length;
  return {
    changes: {
      artistsWithSeries: plans.flatMap((plan) =>
        plan.kind === 'touched' || (plan.kind === 'changed' && plan.seriesDiffer) ? [plan] : [],
      ),
      addedSeries: series.added,
      replacedSeries: series.replaced,
      removedSeries: removed,
      addedArtists: plans.flatMap((plan) => (plan.kind === 'created' ? [plan.document] : [])),
      replacedArtists: plans.flatMap((plan) => (plan.kind === 'changed' && !plan.seriesDiffer ? [plan] : [])),
    },
    artists: {
      ...noCounts,
      created: count('created'),
      changed: count('changed'),
      touched: count('touched'),
      // An artist that is here only because of its series is not counted as unchanged.
      unchanged: artistIds.filter((id, index) => inputById.has(id) && plans[index]?.kind === 'unchanged').length,
    },
    series: { ...series.counts, removed: removed.length },
    size: artistIds.length,
  };
};
