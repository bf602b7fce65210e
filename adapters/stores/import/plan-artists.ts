import type { ArtistChanges, Replacement, StoredDocument } from '../mongodb/import.ts';
import { type ImportCounts, noCounts } from './import-counts.ts';
import { type ArtistPlan, planArtist } from './plan-artist.ts';
import { seriesKeyIn } from './series-key.ts';
import { equalDocuments, omit, toStored } from './stored-document.ts';

/** Some artists, as the input has them and as they are stored. */
export interface Comparison {
  /** Stable ids. An artist that is not in the input may still have series there. */
  readonly artistIds: readonly string[];
  readonly input: { readonly artists: readonly StoredDocument[]; readonly series: readonly StoredDocument[] };
  readonly stored: { readonly artists: readonly StoredDocument[]; readonly series: readonly StoredDocument[] };
  /** Stored series that the input no longer has, by their artists' ids. */
  readonly removedSeries: ReadonlyMap<string, readonly unknown[]>;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** What has to be written so that these artists are stored as the input has them, and how many documents that is. */
export interface Plan {
  readonly changes: ArtistChanges;
  readonly tallies: { readonly artists: ImportCounts; readonly series: ImportCounts };
}

const compareSeries = ({ input, stored }: Comparison) => {
  const before = new Map(stored.series.map((series) => [seriesKeyIn(series), series]));
  const added: StoredDocument[] = [];
  const replaced: Replacement[] = [];
  const changedArtists = new Set<unknown>();
  for (const file of input.series) {
    const document = toStored(file);
    const known = before.get(seriesKeyIn(document));
    if (known !== undefined && equalDocuments(document, known, ['_id'])) continue;
    if (known === undefined) added.push(document);
    else replaced.push({ _id: known['_id'], document: omit(document, ['_id']) });
    changedArtists.add(document['artist_id']);
  }
  return { added, replaced, changedArtists };
};

/** Compares some artists and their series with what is stored. */
export const planArtists = (comparison: Comparison): Plan => {
  const { artistIds, input, stored, removedSeries, now } = comparison;
  const files = new Map(input.artists.map((artist) => [artist['id'], artist]));
  const known = new Map(stored.artists.map((artist) => [artist['id'], artist]));
  const series = compareSeries(comparison);
  const removed = artistIds.flatMap((id) => removedSeries.get(id) ?? []);
  const seriesDiffer = (id: string): boolean => series.changedArtists.has(id) || removedSeries.has(id);
  const plans = artistIds.map((id) => planArtist(files.get(id), known.get(id), seriesDiffer(id), now));
  const count = (kind: ArtistPlan['kind']): number => plans.filter((plan) => plan.kind === kind).length;
  return {
    changes: {
      unfinished: artistIds.filter((id) => seriesDiffer(id) && known.has(id)),
      addedSeries: series.added,
      replacedSeries: series.replaced,
      removedSeries: removed,
      addedArtists: plans.flatMap((plan) => (plan.kind === 'created' ? [plan.document] : [])),
      replacedArtists: plans.flatMap((plan) => (plan.kind === 'changed' ? [plan] : [])),
      touched: plans.flatMap((plan) => (plan.kind === 'touched' ? [plan] : [])),
    },
    tallies: {
      artists: {
        ...noCounts,
        created: count('created'),
        changed: count('changed'),
        touched: count('touched'),
        // One that is only there because of its series was not asked about.
        unchanged: artistIds.filter((id, place) => files.has(id) && plans[place]?.kind === 'unchanged').length,
      },
      series: {
        ...noCounts,
        created: series.added.length,
        changed: series.replaced.length,
        unchanged: input.series.length - series.added.length - series.replaced.length,
        removed: removed.length,
      },
    },
  };
};
