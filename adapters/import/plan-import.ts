import type { DocumentStore } from '../stores/database.ts';
import { type CheckedInput, checkInput, type OnProgress } from './check-input.ts';
import { readSongIds, refuseOrphans } from './check-references.ts';
import { type ArtistBatch, compareBatch, compareDocuments, type DocumentChanges, readAll } from './compare-artists.ts';
import type { Lease } from './import-lease.ts';
import type { InputFile } from './input-files.ts';
import { asRead, type StoredVersion, unfinishedMark, writtenBy } from './to-stored.ts';

export interface PlanOptions {
  /** Whether to remove stored documents that the input no longer has. */
  readonly prune: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly onProgress: OnProgress;
  /** Called before the plan is used: when it resolves to more than 0 everything is compared again. */
  readonly claim?: Lease['claim'];
}

/** Numbers of documents of a collection, by what an import does to them. */
export interface ImportCounts {
  readonly created: number;
  readonly changed: number;
  /** Artists of which only the instant of change is written, because a series of theirs changed. */
  readonly touched: number;
  readonly unchanged: number;
  readonly removed: number;
}

/** What an import with `--prune` removes of the collections that the input has a file for. */
interface Removals {
  readonly artists: StoredVersion[];
  /** Of series of artists that are removed or, with a file of artists or history, do not exist. */
  readonly orphanedSeries: StoredVersion[];
  readonly labels: StoredVersion[];
}

/** What an import will write. It names the documents: those that differ are read again when they are written. */
export interface ImportPlan {
  readonly input: CheckedInput;
  /** The artists that change, in the order in which they are written. */
  readonly batches: readonly ArtistBatch[];
  readonly labels: DocumentChanges;
  readonly removals: Removals;
  readonly counts: Readonly<Record<'artists' | 'series' | 'labels', ImportCounts>>;
  /** Whether no artist is stored yet. */
  readonly isFirst: boolean;
  readonly options: PlanOptions;
}

/** Artists that are compared, and written, together: an abort may interrupt one such batch. */
const maxArtists = 50;

/** Bytes of the input that are compared together, unless one artist alone has more. */
const maxBytes = 2 * 2 ** 20;

const bytesOf = ({ artists, series }: CheckedInput, id: string): number =>
  [...(series.get(id) ?? [])].reduce((sum, { bytes }) => sum + bytes.length, artists.get(id)?.bytes.length ?? 0);

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

/** Compares the artists of the input, those of its series, and others that may have lost series. */
const compareAll = async (
  documents: DocumentStore,
  input: CheckedInput,
  others: ReadonlySet<string>,
  { onProgress, ...options }: PlanOptions,
): Promise<ArtistBatch[]> => {
  const ids = [...new Set([...input.artists.keys(), ...input.series.keys(), ...others])];
  const batches: ArtistBatch[] = [];
  let done = 0;
  onProgress({ step: 'Comparing', done, total: ids.length });
  for (const artistIds of partIntoBatches(input, ids)) {
    const batch = await compareBatch(documents, input, artistIds, options);
    if (isChange(batch)) batches.push(batch);
    done += artistIds.length;
    onProgress({ step: 'Comparing', done, total: ids.length });
  }
  return batches;
};

/**
 * The stored documents to remove, and the artists that remain but may lose series, which are removed with their batch. An artist
 * whose last series an interrupted import removed is known by its mark alone.
 */
const findRemovals = async (
  documents: DocumentStore,
  { artists, labels, collections }: CheckedInput,
  prune: boolean,
) => {
  const removals: Removals = { artists: [], orphanedSeries: [], labels: [] };
  const [remaining, withSeries] = [new Set<string>(), new Set<string>()];
  if (!prune) return { removals, withSeries };
  // Artists are removed before their series: an import that was interrupted between them is completed by its file of artists.
  const replacesSeries = collections.has('history') || collections.has('artists');
  for await (const stored of documents.find('artists', { members: ['id', unfinishedMark, writtenBy] })) {
    const id = String(stored['id']);
    if (collections.has('artists') && !artists.has(id)) removals.artists.push(asRead(stored));
    else remaining.add(id);
    if (unfinishedMark in stored && remaining.has(id)) withSeries.add(id);
  }
  for await (const stored of documents.find('history', { members: ['artist_id', writtenBy] })) {
    const id = String(stored['artist_id']);
    if (!remaining.has(id) && !artists.has(id)) {
      if (replacesSeries) removals.orphanedSeries.push(asRead(stored));
    } else if (collections.has('history') && remaining.has(id)) withSeries.add(id);
  }
  if (collections.has('labels')) {
    for await (const stored of documents.find('labels', { members: ['name', writtenBy] }))
      if (!labels.has(String(stored['name']))) removals.labels.push(asRead(stored));
  }
  return { removals, withSeries };
};

const countsOf = (
  given: number,
  { added, replaced }: Readonly<Record<'added' | 'replaced', readonly unknown[]>>,
  removed: number,
): ImportCounts => {
  const [created, changed] = [added.length, replaced.length];
  return { created, changed, touched: 0, unchanged: given - created - changed, removed };
};

const countChanges = (
  input: CheckedInput,
  batches: readonly ArtistBatch[],
  labels: DocumentChanges,
  removals: Removals,
) => {
  const changes = batches.flatMap(({ changedArtists }) => changedArtists);
  const touched = changes.filter(({ given }) => given === undefined);
  const artists = {
    added: batches.flatMap(({ addedArtists }) => addedArtists),
    replaced: changes.filter(({ given }) => given !== undefined),
  };
  const series = {
    added: batches.flatMap((batch) => batch.series.added),
    replaced: batches.flatMap((batch) => batch.series.replaced),
  };
  const removedSeries = batches.flatMap((batch) => batch.removedSeries).length + removals.orphanedSeries.length;
  const untouched = input.artists.size - touched.filter(({ id }) => input.artists.has(id)).length;
  return {
    artists: { ...countsOf(untouched, artists, removals.artists.length), touched: touched.length },
    series: countsOf([...input.series.values()].flat().length, series, removedSeries),
    labels: countsOf(input.labels.size, labels, removals.labels.length),
  };
};

/** Compares valid input with what is stored. */
const comparePlan = async (documents: DocumentStore, input: CheckedInput, options: PlanOptions) => {
  const { removals, withSeries } = await findRemovals(documents, input, options.prune);
  const batches = await compareAll(documents, input, withSeries, options);
  const storedLabels = input.labels.size === 0 ? [] : await readAll(documents, 'labels');
  const labels = compareDocuments([...input.labels.values()], storedLabels, ({ name }) => String(name));
  const isFirst = (await documents.count('artists')) === 0;
  return { input, batches, labels, removals, counts: countChanges(input, batches, labels, removals), isFirst, options };
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
  const input = await checkInput(files, options.onProgress);
  if (input.found.isFull()) return { input };
  // Series may not refer to an artist that this import removes.
  const replacesArtists = options.prune && input.collections.has('artists');
  refuseOrphans(input, replacesArtists ? new Map() : await readSongIds(documents, input));
  const isRefused = (): boolean => input.found.result().total > 0;
  if (isRefused()) return { input };
  if (replacesArtists && input.artists.size === 0) {
    throw new Error('The input has no artist, and --prune would remove all that are stored: nothing was written.');
  }
  for (;;) {
    const plan = await comparePlan(documents, input, options);
    if (isRefused()) return { input };
    if (((await options.claim?.()) ?? 0) === 0) return plan;
  }
};
