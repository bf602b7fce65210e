import { createHash } from 'node:crypto';
import type { DocumentStore } from '../../adapters/stores/database.ts';
import { storedSeriesKey } from '../../adapters/stores/documents/catalogue-documents.ts';
import type { StoredDocument } from '../../adapters/stores/documents/stored-document.ts';
import { createTurns } from '../../src/runtime/cooperative.ts';
import { type CheckedInput, checkInput, type OnProgress, songIdsIn } from './check-input.ts';
import {
  orphanIssues,
  refuseIdConflicts,
  refuseOrphans,
  remarkSharedSpellings,
} from './check-references.ts';
import {
  type ArtistBatch,
  addNumbers,
  type Comparison,
  compareBatch,
  compareDocuments,
  type DocumentChanges,
  isChange,
  isExtraSeries,
  noDays,
  readAll,
} from './compare-artists.ts';
import type { Lease } from './import-lease.ts';
import type { InputFile } from './input-files.ts';
import { asRead, type StoredVersion, unfinishedMark, writtenBy } from './to-stored.ts';

interface PlanOptions {
  /** Whether to remove what the input no longer has. */
  readonly prune: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly onProgress: OnProgress;
  /** Ends the planning with its reason. */
  readonly interruption?: AbortSignal;
  /**
   * Called before the plan is used: when it resolves to more than 0 everything is compared again.
   */
  readonly claim?: Lease['claim'];
}

/** Numbers of documents of a collection, of days or of members, by what an import does to them. */
export interface ImportCounts {
  readonly created: number;
  readonly changed: number;
  /** Artists of which only the instant of change is written, because a series of theirs changed. */
  readonly touched: number;
  readonly unchanged: number;
  /** What the input does not have and what stays, because the import does not prune. */
  readonly kept: number;
  /** What the input does not have and the import removes, because it prunes. */
  readonly removed: number;
}

/** What an import does, level by level. */
export interface LevelCounts {
  readonly artists: ImportCounts;
  readonly series: ImportCounts;
  /** Days of the series that the input and the database have. */
  readonly days: ImportCounts;
  /** Members that are no part of the format and that the input does not have. */
  readonly members: ImportCounts;
  readonly labels: ImportCounts;
  /** How many of the series kept or removed are of an artist or a song that is gone. */
  readonly orphans: Pick<ImportCounts, 'kept' | 'removed'>;
}

/** Artists that are written together: an abort may interrupt one such batch. */
export interface PlannedBatch {
  readonly artistIds: readonly string[];
  /** Equal when the batch, compared again, still changes the same. */
  readonly digest: string;
}

/**
 * What an import will write. It names the artists: those that differ are compared again when they
 * are written, so that memory is that of one batch.
 */
export interface ImportPlan {
  readonly input: CheckedInput;
  readonly prune: boolean;
  /** The artists that change, in the order in which they are written. */
  readonly batches: readonly PlannedBatch[];
  readonly labels: DocumentChanges;
  readonly removedArtists: readonly StoredVersion[];
  /** Of artists that are removed or do not exist. */
  readonly orphanedSeries: readonly StoredVersion[];
  readonly counts: LevelCounts;
  /** Whether no artist is stored yet. */
  readonly isFirst: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Artists of a batch at most, and bytes of the input of all but one of them. */
const maxBatch = 50;
const maxBatchBytes = 8 * 2 ** 20;

function* batchesOf({ artists, series }: CheckedInput, ids: Iterable<string>): Generator<string[]> {
  let batch: string[] = [];
  let bytes = 0;
  for (const id of ids) {
    batch.push(id);
    for (const one of [artists.get(id), ...(series.get(id)?.values() ?? [])])
      bytes += one?.bytes.length ?? 0;
    if (batch.length < maxBatch && bytes < maxBatchBytes) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

const nullForUndefined = (_name: string, value: unknown): unknown => value ?? null;

/** Identifies what a batch writes, and on what it depends. */
export const digestOf = async (
  { addedArtists, changedArtists, series }: ArtistBatch,
  turn: Comparison['turn'],
): Promise<string> => {
  const digest = createHash('sha256');
  const added = [...addedArtists, ...series.added].map(({ key }) => key);
  for (const change of [added, ...changedArtists, ...series.changed, ...series.removed]) {
    digest.update(JSON.stringify(change, nullForUndefined));
    await turn();
  }
  return digest.digest('base64');
};

/** Refuses what cannot be beside the stored artists. */
const refuseConflicts = async (
  { documents, input, prune }: Comparison,
  artistIds: readonly string[],
  stored: readonly StoredDocument[],
): Promise<void> => {
  const given = artistIds.flatMap((id) => input.artists.get(id) ?? []);
  const sameDocuments = await readAll(documents, 'artists', {
    where: { _id: given.map(({ documentId }) => documentId) },
    members: ['id'],
  });
  refuseIdConflicts(given, [...stored, ...sameDocuments], input);
  // a series may not refer to an artist that is removed
  refuseOrphans(input, artistIds, prune && input.collections.has('artists') ? [] : stored);
};

/** Compares the artists of the input, those of its series, and others that may have lost series. */
const compareAll = async (
  comparison: Comparison,
  others: ReadonlySet<string>,
  onProgress: OnProgress,
) => {
  const { input, turn } = comparison;
  const ids = new Set([...input.artists.keys(), ...input.series.keys(), ...others]);
  const batches: PlannedBatch[] = [];
  const olderIds: string[] = [];
  const sums = { created: 0, changed: 0, touched: 0, unchangedArtists: 0, extraMembers: 0 };
  const series = { created: 0, changed: 0, unchanged: 0 };
  let [done, days] = [0, noDays];
  onProgress({ step: 'Comparing', done, total: ids.size });
  for (const artistIds of batchesOf(input, ids)) {
    const batch = await compareBatch(comparison, artistIds);
    await refuseConflicts(comparison, artistIds, batch.stored);
    const { addedArtists, changedArtists, series: changes, counts } = batch;
    if (addedArtists.length + changedArtists.length > 0 || isChange(changes))
      batches.push({ artistIds, digest: await digestOf(batch, turn) });
    const touched = changedArtists.filter(({ document }) => document === undefined).length;
    sums.created += addedArtists.length;
    sums.changed += changedArtists.length - touched;
    sums.touched += touched;
    sums.unchangedArtists += counts.unchangedArtists;
    sums.extraMembers += counts.extraMembers;
    series.created += changes.added.length;
    series.changed += changes.changed.length;
    series.unchanged += counts.unchangedSeries;
    days = addNumbers(days, counts.days);
    olderIds.push(...batch.olderIds);
    done += artistIds.length;
    onProgress({ step: 'Comparing', done, total: ids.size });
  }
  return { batches, olderIds, sums, series, days };
};

/**
 * The stored artists and series that the input does not have: how many there are, and with `prune`
 * those to remove. Series of artists that remain are removed with their batch (`withSeries`). An
 * artist whose last series an interrupted import removed is known only by its mark.
 */
const findExtras = async ({ documents, input, prune, turn }: Comparison) => {
  const { artists, series, collections } = input;
  const [removedArtists, orphanedSeries]: [StoredVersion[], StoredVersion[]] = [[], []];
  const withSeries = new Set<string>();
  const found = { artists: 0, series: 0, orphans: 0 };
  const result = { removedArtists, orphanedSeries, withSeries, found };
  if (!collections.has('artists') && !collections.has('history')) return result;
  const storedSongs = new Map<string, ReadonlySet<string>>();
  for await (const stored of documents.find('artists', {
    members: ['id', 'songs.id', unfinishedMark, writtenBy],
  })) {
    await turn();
    const id = String(stored['id']);
    storedSongs.set(id, songIdsIn(stored));
    if (collections.has('artists') && !artists.has(id)) {
      found.artists += 1;
      if (prune) removedArtists.push(asRead(stored));
    } else if (prune && collections.has('history') && unfinishedMark in stored) withSeries.add(id);
  }
  // Artists are removed before their series: an import that was interrupted between them is
  // completed by its file of artists.
  for await (const stored of documents.find('history', {
    members: ['artist_id', 'song_id', 'metric', writtenBy],
  })) {
    await turn();
    const id = String(stored['artist_id']);
    const songs = artists.get(id)?.songIds ?? storedSongs.get(id);
    const remaining = artists.has(id) || !collections.has('artists') ? songs : undefined;
    if (series.get(id)?.has(storedSeriesKey(stored)) === true) continue;
    if (!isExtraSeries(collections, stored, remaining)) continue;
    found.series += 1;
    if (orphanIssues(stored, songs).length > 0) found.orphans += 1;
    if (!prune) continue;
    if (remaining === undefined) orphanedSeries.push(asRead(stored));
    else withSeries.add(id);
  }
  return result;
};

const noCounts: ImportCounts = {
  created: 0,
  changed: 0,
  touched: 0,
  unchanged: 0,
  kept: 0,
  removed: 0,
};

/** Nothing that an import does. */
export const noLevels: LevelCounts = {
  artists: noCounts,
  series: noCounts,
  days: noCounts,
  members: noCounts,
  labels: noCounts,
  orphans: { kept: 0, removed: 0 },
};

/** Compares valid input with what is stored. */
const comparePlan = async (comparison: Comparison, onProgress: OnProgress) => {
  const { documents, input, prune, now } = comparison;
  const { withSeries, found, ...removals } = await findExtras(comparison);
  const { batches, olderIds, sums, series, days } = await compareAll(
    comparison,
    withSeries,
    onProgress,
  );
  const hasLabels = input.collections.has('labels');
  const labels = await compareDocuments(
    [...input.labels.values()],
    hasLabels ? await readAll(documents, 'labels', { order: ['_id'] }) : [],
    ({ name }) => String(name),
    () => hasLabels,
    comparison,
  );
  /** Whether what the input does not have is removed. */
  const extra = (count: number) =>
    prune ? { kept: 0, removed: count } : { kept: count, removed: 0 };
  const counts: LevelCounts = {
    artists: {
      ...noCounts,
      created: sums.created,
      changed: sums.changed,
      touched: sums.touched,
      unchanged: sums.unchangedArtists,
      ...extra(found.artists),
    },
    series: { ...noCounts, ...series, ...extra(found.series) },
    days: {
      ...noCounts,
      created: days.created,
      changed: days.changed,
      unchanged: days.unchanged,
      ...extra(days.extra),
    },
    members: { ...noCounts, ...extra(sums.extraMembers + labels.counts.extraMembers) },
    labels: {
      ...noCounts,
      created: labels.added.length,
      changed: labels.changed.length,
      unchanged: labels.counts.unchanged,
      kept: labels.counts.kept,
      removed: labels.removed.length,
    },
    orphans: extra(found.orphans),
  };
  const isFirst = (await documents.count('artists')) === 0;
  const plan: ImportPlan = { input, prune, batches, labels, ...removals, counts, isFirst, now };
  return { plan, olderIds };
};

const isOlder = {
  path: 'updated_at',
  message: 'is older than that of the stored artist, which this document replaces',
};

/** Remarks on what is probably a mistake, besides the remarks on single documents. */
const remarkPlan = async (
  { documents, input, prune }: Comparison,
  olderIds: readonly string[],
  { labels }: LevelCounts,
): Promise<void> => {
  for (const id of olderIds) {
    const artist = input.artists.get(id);
    if (artist !== undefined) input.found.remark(artist, isOlder);
  }
  if (input.labels.size > 0)
    await remarkSharedSpellings(input, prune ? [] : await readAll(documents, 'labels'));
  const remaining = input.labels.size + labels.kept;
  if (
    remaining === 0 &&
    (input.collections.has('labels') || (await documents.count('labels')) === 0)
  )
    input.found.remarkWhole(
      'labels',
      'there are none, in the input or stored: no label will be detected',
    );
};

/**
 * Checks the input, compares it with what is stored, and finds what it no longer has. Writes
 * nothing. Returns the plan, or only the input when it has mistakes and nothing may be written.
 * Rejects when `prune` would remove every artist.
 */
export const planImport = async (
  documents: DocumentStore,
  files: readonly InputFile[],
  { prune, now, onProgress, interruption, claim }: PlanOptions,
): Promise<ImportPlan | Pick<ImportPlan, 'input'>> => {
  const input = await checkInput(files, { now, onProgress });
  if (input.found.isFull()) return { input };
  const comparison = { documents, input, prune, now, turn: createTurns(interruption) };
  for (;;) {
    const { plan, olderIds } = await comparePlan(comparison, onProgress);
    if (input.found.result().total > 0) return { input };
    if (prune && input.collections.has('artists') && input.artists.size === 0) {
      throw new Error(
        'The input has no artists, and --prune would remove all stored ones: nothing was written.',
      );
    }
    if (((await claim?.()) ?? 0) > 0) continue;
    await remarkPlan(comparison, olderIds, plan.counts);
    return plan;
  }
};
