import { groupBy } from '../../src/domain/group-by.ts';
import { type ImportDatabase, readMembers, readStoredArtists, readStoredSeries } from '../stores/mongodb/import.ts';
import { type CheckedInput, checkInput, type InputArtist } from './check-input.ts';
import { readSongIds, refuseIdConflicts, refuseOrphans } from './check-references.ts';
import type { InputFile } from './input-files.ts';
import { type ArtistBatch, planArtists } from './plan-artists.ts';
import { type DocumentChanges, type ImportCounts, noCounts, planDocuments, sumCounts } from './plan-documents.ts';
import { readPlaces } from './read-places.ts';
import { findRemovals, noRemovals, type Removals } from './removals.ts';
import { storedSeriesKey } from './stored-document.ts';

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

/** What an import will write. The documents are read and compared again when they are written, so that few are in memory. */
export interface ImportPlan {
  readonly input: CheckedInput;
  /** Stable ids of the artists in each batch that has changes, in the order in which they are written. */
  readonly batches: readonly (readonly string[])[];
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

/** Reads some artists and their series, from the input and from the database, and compares them. */
export const compareBatch = async (
  db: ImportDatabase,
  input: CheckedInput,
  artistIds: readonly string[],
  { prune, now }: Pick<PlanOptions, 'prune' | 'now'>,
): Promise<ArtistBatch> => {
  const artists: InputArtist[] = artistIds.flatMap((id) => input.artists.get(id) ?? []);
  const documentIds = artists.map(({ documentId }) => documentId);
  const stored = {
    artists: await readStoredArtists(db, artistIds, documentIds),
    series: await readStoredSeries(db, artistIds),
  };
  refuseIdConflicts(artists, stored.artists, input);
  const series = await readPlaces(artistIds.flatMap((id) => input.series.get(id) ?? []));
  const inputKeys = new Set(series.map(storedSeriesKey));
  const removed =
    prune && input.collections.has('history')
      ? stored.series.filter((one) => !inputKeys.has(storedSeriesKey(one)))
      : [];
  const removedSeries = new Map(
    [...groupBy(removed, ({ artist_id }) => String(artist_id))].map(([id, list]) => [id, list.map(({ _id }) => _id)]),
  );
  return planArtists({ artistIds, input: { artists: await readPlaces(artists), series }, stored, removedSeries, now });
};

const isChange = ({ changes }: ArtistBatch): boolean => Object.values(changes).some((list) => list.length > 0);

const compareAll = async (db: ImportDatabase, input: CheckedInput, removals: Removals, options: PlanOptions) => {
  const { onProgress } = options;
  const ids = [...new Set([...input.artists.keys(), ...input.series.keys(), ...removals.artistIds])];
  const batches: string[][] = [];
  let [artists, series, done] = [noCounts, noCounts, 0];
  onProgress({ step: 'Comparing', done, total: ids.length });
  for (const artistIds of partIntoBatches(input, ids)) {
    const batch = await compareBatch(db, input, artistIds, options);
    if (isChange(batch)) batches.push(artistIds);
    artists = sumCounts(artists, batch.artists);
    series = sumCounts(series, batch.series);
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
  db: ImportDatabase,
  files: readonly InputFile[],
  options: PlanOptions,
): Promise<ImportPlan | Pick<ImportPlan, 'input'>> => {
  const { onProgress, prune } = options;
  const input = await checkInput(files, (done, total) => onProgress({ step: 'Reading', done, total }));
  // Series may not refer to an artist that this import removes.
  const replacesArtists = prune && input.collections.has('artists');
  refuseOrphans(input, replacesArtists ? new Map() : await readSongIds(db, input));
  const isRefused = (): boolean => input.found.result().total > 0;
  if (isRefused()) return { input };
  if (replacesArtists && input.artists.size === 0) {
    throw new Error('The input has no artist, and --prune would remove all that are stored: nothing was written.');
  }
  const removals = prune ? await findRemovals(db, input) : noRemovals;
  const { batches, artists, series } = await compareAll(db, input, removals, options);
  if (isRefused()) return { input };
  const labels = planDocuments(
    await readPlaces([...input.labels.values()]),
    input.labels.size === 0 ? [] : await readMembers(db, 'labels', []),
    ({ name }) => name,
  );
  const counts = {
    artists: { ...artists, removed: removals.artists.length },
    series: { ...series, removed: series.removed + removals.orphanedSeries.length },
    labels: { ...labels.counts, removed: removals.labels.length },
  };
  return { input, batches, labels, removals, counts, options };
};
