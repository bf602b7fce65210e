import type { DocumentStore } from '../stores/database.ts';
import { type CheckedInput, checkInput } from './check-input.ts';
import { readSongIds, refuseOrphans } from './check-references.ts';
import { type ArtistBatch, compareBatch, readAll } from './compare-artists.ts';
import { compareDocuments, type DocumentChanges, type ImportCounts, noCounts, sumCounts } from './compare-documents.ts';
import type { InputFile } from './input-files.ts';
import { findRemovals, noRemovals, type Removals } from './removals.ts';
import { digestOf } from './stored-document.ts';

/** The progress of a step of an import. Reported when the step begins (0 done) and after every part. */
export interface ImportProgress {
  readonly step: 'Reading' | 'Comparing' | 'Writing';
  /** Bytes of the files for `Reading`, else artists. */
  readonly done: number;
  readonly total: number;
}

export interface PlanOptions {
  /** Whether to remove stored documents that the input no longer has. */
  readonly prune: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
  /** May throw to stop the import between two batches. */
  readonly onProgress: (progress: ImportProgress) => void;
}

/** What an import will write. It names the documents: those that differ are read again when they are written. */
export interface ImportPlan {
  readonly input: CheckedInput;
  /** The artists that change, in the order in which they are written. */
  readonly batches: readonly ArtistBatch[];
  readonly labels: DocumentChanges;
  readonly removals: Removals;
  readonly counts: Readonly<Record<'artists' | 'series' | 'labels', ImportCounts>>;
  readonly options: PlanOptions;
}

/** Artists that are compared, and written, together: an abort may interrupt one such batch. */
const maxArtists = 50;

/** Bytes of the input that are compared together, unless one artist alone has more. */
const maxBytes = 2 * 2 ** 20;

const bytesOf = ({ artists, series }: CheckedInput, id: string): number =>
  [...(series.get(id) ?? [])].reduce((sum, { length }) => sum + length, artists.get(id)?.length ?? 0);

/** Parts ids into batches of at most `maxArtists` and `maxBytes`. */
const partIntoBatches = (input: CheckedInput, ids: readonly string[]): string[][] => {
  const batches: string[][] = [];
  let bytes = maxBytes;
  for (const id of ids) {
    const size = bytesOf(input, id);
    const batch = batches.at(-1);
    bytes += size;
    if (batch !== undefined && batch.length < maxArtists && bytes <= maxBytes) batch.push(id);
    else {
      batches.push([id]);
      bytes = size;
    }
  }
  return batches;
};

const isChange = ({ addedArtists, changedArtists, series, removedSeries }: ArtistBatch): boolean =>
  [addedArtists, changedArtists, series.added, series.replaced, removedSeries].some(({ length }) => length > 0);

const compareAll = async (
  documents: DocumentStore,
  input: CheckedInput,
  removals: Removals,
  { onProgress, ...options }: PlanOptions,
) => {
  const ids = [...new Set([...input.artists.keys(), ...input.series.keys(), ...removals.artistIds])];
  const batches: ArtistBatch[] = [];
  let [artists, series, done] = [noCounts, noCounts, 0];
  onProgress({ step: 'Comparing', done, total: ids.length });
  for (const artistIds of partIntoBatches(input, ids)) {
    const batch = await compareBatch(documents, input, artistIds, options);
    if (isChange(batch)) batches.push(batch);
    artists = sumCounts(artists, batch.counts.artists);
    series = sumCounts(series, batch.counts.series);
    done += artistIds.length;
    onProgress({ step: 'Comparing', done, total: ids.length });
  }
  return { batches, artists, series };
};

/**
 * Checks the input, compares it with what is stored, and finds what it no longer has. Writes nothing. Returns the plan, or
 * only the input when it has mistakes and nothing may be written. Rejects when `prune` would remove every artist.
 */
export const planImport = async (
  documents: DocumentStore,
  files: readonly InputFile[],
  options: PlanOptions,
): Promise<ImportPlan | Pick<ImportPlan, 'input'>> => {
  const { onProgress, prune } = options;
  const onRead = (done: number, total: number): void => onProgress({ step: 'Reading', done, total });
  const input = await checkInput(files, onRead, (...document) => digestOf(...document, { isFile: true }));
  // Series may not refer to an artist that this import removes.
  const replacesArtists = prune && input.collections.has('artists');
  refuseOrphans(input, replacesArtists ? new Map() : await readSongIds(documents, input));
  const isRefused = (): boolean => input.found.result().total > 0;
  if (isRefused()) return { input };
  if (replacesArtists && input.artists.size === 0) {
    throw new Error('The input has no artist, and --prune would remove all that are stored: nothing was written.');
  }
  const removals = prune ? await findRemovals(documents, input) : noRemovals;
  const { batches, artists, series } = await compareAll(documents, input, removals, options);
  if (isRefused()) return { input };
  const storedLabels = input.labels.size === 0 ? [] : await readAll(documents, 'labels');
  const labels = compareDocuments('labels', [...input.labels.values()], storedLabels, ({ name }) => String(name));
  const counts = {
    artists: { ...artists, removed: removals.artists.length },
    series: { ...series, removed: series.removed + removals.orphanedSeries.length },
    labels: { ...labels.counts, removed: removals.labels.length },
  };
  return { input, batches, labels, removals, counts, options };
};
