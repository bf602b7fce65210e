import type { DocumentStore } from '../../adapters/stores/database.ts';
import type { StoredDocument } from '../../adapters/stores/documents/stored-document.ts';
import { type CheckedInput, checkInput, type OnProgress } from './check-input.ts';
import {
  type ArtistBatch,
  compareBatch,
  compareDocuments,
  type DocumentChanges,
  isChange,
  joinChanges,
  type PrunedCollections,
  readAll,
} from './compare-artists.ts';
import type { Lease } from './import-lease.ts';
import type { InputFile } from './input-files.ts';
import { asRead, type StoredVersion, unfinishedMark, writtenBy } from './to-stored.ts';

export interface PlanOptions {
  /** Whether to remove stored documents that the input no longer has. */
  readonly prune: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly onProgress: OnProgress;
  /**
   * Called before the plan is used: when it resolves to more than 0 everything is compared again.
   */
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

/**
 * What an import will write. It names the documents: those that differ are parsed again when they
 * are written.
 */
export interface ImportPlan {
  readonly input: CheckedInput;
  readonly pruned: PrunedCollections;
  /** The artists that change, in the order in which they are written. */
  readonly batches: readonly ArtistBatch[];
  readonly labels: DocumentChanges;
  readonly removedArtists: readonly StoredVersion[];
  /** Of artists that are removed or do not exist. */
  readonly orphanedSeries: readonly StoredVersion[];
  readonly counts: Readonly<Record<'artists' | 'series' | 'labels', ImportCounts>>;
  /** Whether no artist is stored yet. */
  readonly isFirst: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Artists that are compared, and written, together: an abort may interrupt one such batch. */
const batchSize = 50;

/** Compares the artists of the input, those of its series, and others that may have lost series. */
const compareAll = async (
  documents: DocumentStore,
  input: CheckedInput,
  others: ReadonlySet<string>,
  pruned: PrunedCollections,
  { now, onProgress }: PlanOptions,
): Promise<ArtistBatch[]> => {
  const ids = [...new Set([...input.artists.keys(), ...input.series.keys(), ...others])];
  const batches: ArtistBatch[] = [];
  onProgress({ step: 'Comparing', done: 0, total: ids.length });
  for (let start = 0; start < ids.length; start += batchSize) {
    const batch = await compareBatch(
      documents,
      input,
      ids.slice(start, start + batchSize),
      pruned,
      now,
    );
    if (batch.addedArtists.length + batch.changedArtists.length > 0 || isChange(batch.series))
      batches.push(batch);
    onProgress({ step: 'Comparing', done: start + batch.size, total: ids.length });
  }
  return batches;
};

/**
 * The stored artists and orphaned series to remove, and the artists that remain but may lose
 * series, which are removed with their batch. An artist whose last series an interrupted import
 * removed is known by its mark alone.
 */
const findRemovals = async (
  documents: DocumentStore,
  { artists }: CheckedInput,
  pruned: PrunedCollections,
) => {
  const [removedArtists, orphanedSeries]: [StoredVersion[], StoredVersion[]] = [[], []];
  const [remaining, withSeries] = [new Set<string>(), new Set<string>()];
  if (!pruned.has('artists') && !pruned.has('history'))
    return { removedArtists, orphanedSeries, withSeries };
  for await (const stored of documents.find('artists', {
    members: ['id', unfinishedMark, writtenBy],
  })) {
    const id = String(stored['id']);
    if (pruned.has('artists') && !artists.has(id)) removedArtists.push(asRead(stored));
    else {
      remaining.add(id);
      if (unfinishedMark in stored) withSeries.add(id);
    }
  }
  // Artists are removed before their series: an import that was interrupted between them is
  // completed by its file of artists.
  for await (const stored of documents.find('history', { members: ['artist_id', writtenBy] })) {
    const id = String(stored['artist_id']);
    if (!remaining.has(id) && !artists.has(id)) orphanedSeries.push(asRead(stored));
    else if (pruned.has('history') && remaining.has(id)) withSeries.add(id);
  }
  return { removedArtists, orphanedSeries, withSeries };
};

const countDocuments = (
  given: number,
  { added, replaced, removed }: DocumentChanges,
): ImportCounts => ({
  created: added.length,
  changed: replaced.length,
  touched: 0,
  unchanged: given - added.length - replaced.length,
  removed: removed.length,
});

const countChanges = (
  { artists, series }: CheckedInput,
  {
    batches,
    removedArtists,
    orphanedSeries,
  }: Pick<ImportPlan, 'batches' | 'removedArtists' | 'orphanedSeries'>,
) => {
  const created = batches.flatMap(({ addedArtists }) => addedArtists).length;
  const changes = batches.flatMap(({ changedArtists }) => changedArtists);
  const touched = changes.filter(({ given }) => given === undefined).length;
  const unchanged = artists.size - created - changes.filter(({ id }) => artists.has(id)).length;
  const ofSeries = joinChanges(batches.map((batch) => batch.series));
  const removed = [...ofSeries.removed, ...orphanedSeries];
  return {
    artists: {
      created,
      changed: changes.length - touched,
      touched,
      unchanged,
      removed: removedArtists.length,
    },
    series: countDocuments([...series.values()].flat().length, { ...ofSeries, removed }),
  };
};

/** Compares valid input with what is stored. */
const comparePlan = async (
  documents: DocumentStore,
  input: CheckedInput,
  pruned: PrunedCollections,
  options: PlanOptions,
): Promise<ImportPlan> => {
  const { withSeries, ...removals } = await findRemovals(documents, input, pruned);
  const batches = await compareAll(documents, input, withSeries, pruned, options);
  const storedLabels = input.collections.has('labels') ? await readAll(documents, 'labels') : [];
  const nameOf = ({ name }: StoredDocument): string => String(name);
  const labels = compareDocuments(
    [...input.labels.values()],
    storedLabels,
    nameOf,
    pruned.has('labels'),
  );
  const isFirst = (await documents.count('artists')) === 0;
  const changes = { batches, labels, ...removals };
  const counts = {
    ...countChanges(input, changes),
    labels: countDocuments(input.labels.size, labels),
  };
  return { input, pruned, ...changes, counts, isFirst, now: options.now };
};

/**
 * Checks the input, compares it with what is stored, and finds what it no longer has. Writes
 * nothing. Returns the plan, or only the input when it has mistakes and nothing may be written.
 * Rejects when `prune` would remove every artist.
 */
export const planImport = async (
  documents: DocumentStore,
  files: readonly InputFile[],
  options: PlanOptions,
): Promise<ImportPlan | Pick<ImportPlan, 'input'>> => {
  const input = await checkInput(files, options.onProgress);
  if (input.found.isFull()) return { input };
  const pruned: PrunedCollections = options.prune ? input.collections : new Set();
  for (;;) {
    const plan = await comparePlan(documents, input, pruned, options);
    if (input.found.result().total > 0) return { input };
    if (pruned.has('artists') && input.artists.size === 0) {
      throw new Error(
        'The input has no artist, and --prune would remove all that are stored: nothing was written.',
      );
    }
    if (((await options.claim?.()) ?? 0) === 0) return plan;
  }
};
