import { groupBy } from '../../../src/domain/group-by.ts';
import type { DocumentError } from '../documents/document-file.ts';
import { type ImportDatabase, readMembers, readStoredArtists, readStoredSeries } from '../mongodb/import.ts';
import { type CheckedInput, checkInput } from './check-input.ts';
import { findIdConflicts, findOrphanedInput, inputSongIds, readSongIds } from './check-references.ts';
import type { ImportInput } from './input-files.ts';
import { type ArtistBatch, planArtists } from './plan-artists.ts';
import { type DocumentChanges, type ImportCounts, noCounts, planDocuments, sumCounts } from './plan-documents.ts';
import { findRemovals, noRemovals, type Removals } from './removals.ts';

/** The progress of a step of an import, in artists. Reported when the step begins (0 done) and after every batch. */
export interface ImportProgress {
  readonly step: 'Comparing' | 'Writing';
  readonly done: number;
  readonly total: number;
}

export interface PlanOptions {
  /** Whether to remove stored documents that the input no longer has. */
  readonly prune: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly onProgress: (progress: ImportProgress) => void;
}

/** All writes of an import. */
export interface ImportPlan {
  /** In the order in which they are written. */
  readonly batches: readonly ArtistBatch[];
  readonly labels: DocumentChanges;
  readonly removals: Removals;
  readonly counts: Readonly<Record<'artists' | 'series' | 'labels', ImportCounts>>;
}

/** Artists that are compared, and written, together: an abort may interrupt one such batch. */
const batchSize = 50;

const compareBatches = async (
  db: ImportDatabase,
  { artists, series }: CheckedInput,
  removals: Removals,
  { now, onProgress }: PlanOptions,
): Promise<Pick<ImportPlan, 'batches'> & Pick<CheckedInput, 'refused'>> => {
  const artistsById = groupBy(artists, ({ model }) => model.id);
  const seriesById = groupBy(series, ({ model }) => model.artistId);
  const ids = [...new Set([...artistsById.keys(), ...seriesById.keys(), ...removals.series.keys()])];
  const batches: ArtistBatch[] = [];
  const refused: DocumentError[] = [];
  onProgress({ step: 'Comparing', done: 0, total: ids.length });
  for (let start = 0; start < ids.length; start += batchSize) {
    const artistIds = ids.slice(start, start + batchSize);
    const inputArtists = artistIds.flatMap((id) => artistsById.get(id) ?? []);
    const inputSeries = artistIds.flatMap((id) => seriesById.get(id) ?? []);
    const documentIds = inputArtists.map(({ model }) => model.documentId);
    const stored = {
      artists: await readStoredArtists(db, artistIds, documentIds),
      series: await readStoredSeries(db, artistIds),
    };
    refused.push(...findIdConflicts(inputArtists, stored.artists));
    const input = { artists: inputArtists.map(({ value }) => value), series: inputSeries.map(({ value }) => value) };
    batches.push(planArtists({ artistIds, input, stored, removedSeries: removals.series, now }));
    onProgress({ step: 'Comparing', done: start + artistIds.length, total: ids.length });
  }
  return { batches, refused };
};

const countAll = (batches: readonly ArtistBatch[], labels: DocumentChanges, removals: Removals) => {
  const artists = batches.map((batch) => batch.artists).reduce(sumCounts, noCounts);
  const series = batches.map((batch) => batch.series).reduce(sumCounts, noCounts);
  return {
    artists: { ...artists, removed: removals.artists.length },
    series: { ...series, removed: series.removed + removals.orphanedSeries.length },
    labels: { ...labels.counts, removed: removals.labels.length },
  };
};

/**
 * Checks the input, compares it with what is stored, and finds what it no longer has. Writes nothing. Returns the plan, or
 * the refused documents for which nothing may be written. Rejects when `prune` would remove every artist.
 */
export const planImport = async (
  db: ImportDatabase,
  input: ImportInput,
  options: PlanOptions,
): Promise<ImportPlan | Pick<CheckedInput, 'refused'>> => {
  const checked = checkInput(input);
  // Series may not refer to an artist that this import removes.
  const replacesArtists = options.prune && input.collections.has('artists');
  const songIds = replacesArtists ? inputSongIds(checked) : await readSongIds(db, checked);
  const refused = [...checked.refused, ...findOrphanedInput(checked, songIds)];
  if (refused.length > 0) return { refused };
  if (replacesArtists && checked.artists.length === 0) {
    throw new Error('The input has no artist, and --prune would remove all that are stored: nothing was written.');
  }
  const removals = options.prune ? await findRemovals(db, checked, input.collections) : noRemovals;
  const { batches, refused: conflicts } = await compareBatches(db, checked, removals, options);
  if (conflicts.length > 0) return { refused: conflicts };
  const labels = planDocuments(
    checked.labels.map(({ value }) => value),
    checked.labels.length === 0 ? [] : await readMembers(db, 'labels', []),
    ({ name }) => name,
  );
  return { batches, labels, removals, counts: countAll(batches, labels, removals) };
};
