import { hash } from 'node:crypto';
import type { DocumentStore } from '../../adapters/stores/database.ts';
import { storedSeriesKey } from '../../adapters/stores/documents/catalogue-documents.ts';
import type { StoredDocument } from '../../adapters/stores/documents/stored-document.ts';
import { addDays, dayOf } from '../../src/domain/day.ts';
import {
  type CheckedInput,
  checkInput,
  type InputArtist,
  type OnProgress,
  songIdsIn,
} from './check-input.ts';
import { orphanIssues, refuseIdConflicts, refuseOrphans } from './check-references.ts';
import {
  type ArtistBatch,
  addLevels,
  type Comparison,
  compareBatch,
  compareDocuments,
  type DocumentChanges,
  isChange,
  isExtraSeries,
  readAll,
} from './compare-artists.ts';
import { collections, type InputFile } from './input-files.ts';
import { type OnChange, wholeChange } from './list-changes.ts';
import { countExtra, type ImportCounts, noCounts } from './merge-members.ts';
import { asRead, type StoredVersion, unfinishedMark, writtenBy } from './to-stored.ts';
import { createTurns } from './turns.ts';

interface PlanOptions {
  readonly prune: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly onProgress: OnProgress;
  readonly interruption?: AbortSignal;
  readonly onChange?: OnChange | undefined;
}

export interface LevelCounts {
  readonly artists: ImportCounts;
  readonly series: ImportCounts;
  readonly days: ImportCounts;
  readonly members: ImportCounts;
  readonly labels: ImportCounts;
  /** Series among `kept` or `removed` whose artist or song is gone. */
  readonly orphans: Pick<ImportCounts, 'kept' | 'removed'>;
}

/** Artists written together. An abort may interrupt one batch. */
export interface PlannedBatch {
  readonly artistIds: readonly string[];
  /** Equal if the batch, compared again, has the same changes. */
  readonly digest: string;
}

/**
 * What an import will write. It contains only ids of artists: they are compared again when they are
 * written, so that memory is limited to one batch.
 */
export interface ImportPlan {
  readonly input: CheckedInput;
  readonly prune: boolean;
  /** The changed artists, in the order in which they are written. */
  readonly batches: readonly PlannedBatch[];
  readonly labels: DocumentChanges;
  readonly removedArtists: readonly StoredVersion[];
  readonly orphanedSeries: readonly StoredVersion[];
  readonly counts: LevelCounts;
  readonly isFirst: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Maximum artists of a batch, and maximum input bytes of all of them except one. */
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

/** Identifies what a batch writes, and what it depends on. */
export const digestOf = ({ addedArtists, changedArtists, series }: ArtistBatch): string => {
  const added = [...addedArtists, ...series.added].map(({ key }) => key);
  const changes = [added, changedArtists, series.changed, series.removed];
  return hash('sha256', JSON.stringify(changes, nullForUndefined), 'base64');
};

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
  // a series must not refer to a removed artist
  refuseOrphans(input, artistIds, prune && input.collections.has('artists') ? [] : stored);
};

/**
 * Compares the artists of the input, the artists of its series, and artists that may have lost
 * series.
 */
const compareAll = async (
  comparison: Comparison,
  others: ReadonlySet<string>,
  onProgress: OnProgress,
) => {
  const { input } = comparison;
  const ids = new Set([...input.artists.keys(), ...input.series.keys(), ...others]);
  const batches: PlannedBatch[] = [];
  const [olderIds, added]: [string[], InputArtist[]] = [[], []];
  let levels = { artists: noCounts, series: noCounts, days: noCounts, members: noCounts };
  let done = 0;
  onProgress({ step: 'Comparing', done, total: ids.size });
  for (const artistIds of batchesOf(input, ids)) {
    const batch = await compareBatch(comparison, artistIds);
    await refuseConflicts(comparison, artistIds, batch.stored);
    const { addedArtists, changedArtists, series: changes, counts } = batch;
    if (addedArtists.length + changedArtists.length > 0 || isChange(changes))
      batches.push({ artistIds, digest: digestOf(batch) });
    added.push(...addedArtists);
    levels = addLevels(levels, counts);
    olderIds.push(...batch.olderIds);
    done += artistIds.length;
    onProgress({ step: 'Comparing', done, total: ids.size });
  }
  return { batches, olderIds, added, levels };
};

/**
 * Finds stored artists and series that the input lacks: their number and, with `prune`, which to
 * remove. Series of remaining artists are removed with their batch (`withSeries`). An artist whose
 * last series an interrupted import removed is known only by its mark.
 */
const findExtras = async ({ documents, input, prune, turn, onChange }: Comparison) => {
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
      if (!prune) continue;
      removedArtists.push(asRead(stored));
      onChange?.(wholeChange('removed', 'artists', id));
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
    if (remaining !== undefined) withSeries.add(id);
    else {
      orphanedSeries.push(asRead(stored));
      onChange?.(wholeChange('removed', 'history', storedSeriesKey(stored)));
    }
  }
  return result;
};

export const noLevels: LevelCounts = {
  artists: noCounts,
  series: noCounts,
  days: noCounts,
  members: noCounts,
  labels: noCounts,
  orphans: { kept: 0, removed: 0 },
};

/**
 * True if nothing was ever stored. A removed artist must not return with its previous change time.
 */
const isEmpty = async (documents: DocumentStore): Promise<boolean> => {
  for (const name of [...collections, 'import_log'])
    if ((await documents.count(name)) > 0) return false;
  return true;
};

const comparePlan = async (comparison: Comparison, onProgress: OnProgress) => {
  const { documents, input, prune, now } = comparison;
  const { withSeries, found, ...removals } = await findExtras(comparison);
  const { batches, olderIds, added, levels } = await compareAll(comparison, withSeries, onProgress);
  const hasLabels = input.collections.has('labels');
  const labels = await compareDocuments(
    'labels',
    [...input.labels.values()],
    hasLabels ? await readAll(documents, 'labels', { order: ['_id'] }) : [],
    ({ name }) => String(name),
    () => hasLabels,
    comparison,
  );
  const counts: LevelCounts = {
    ...addLevels(levels, { ...noLevels, members: labels.counts.members }),
    labels: labels.counts.documents,
    orphans: countExtra(prune, found.orphans),
  };
  const extra = {
    artists: { ...counts.artists, ...countExtra(prune, found.artists) },
    // the series that batches remove are included
    series: { ...counts.series, ...countExtra(prune, found.series) },
  };
  const plan: ImportPlan = {
    input,
    prune,
    batches,
    labels,
    ...removals,
    counts: { ...counts, ...extra },
    isFirst: await isEmpty(documents),
    now,
  };
  return { plan, olderIds, added };
};

const isOlder = {
  path: 'updated_at',
  message: 'is older than in the stored artist, which this document replaces',
};

const isLate = {
  path: 'date_added',
  message: 'is before yesterday, or missing, in a new artist: polls by date_added will not find it',
};

/** Adds warnings of probable errors to the warnings of single documents. */
const warningPlan = async (
  { documents, input, now }: Comparison,
  { plan, olderIds, added }: Awaited<ReturnType<typeof comparePlan>>,
): Promise<void> => {
  const { labels } = plan.counts;
  const yesterday = addDays(dayOf(now), -1);
  for (const artist of plan.isFirst ? [] : added)
    if ((artist.dateAdded ?? '') < yesterday) input.found.warning(artist, isLate);
  for (const id of olderIds) {
    const artist = input.artists.get(id);
    if (artist !== undefined) input.found.warning(artist, isOlder);
  }
  const remaining = input.labels.size + labels.kept;
  if (
    remaining === 0 &&
    (input.collections.has('labels') || (await documents.count('labels')) === 0)
  )
    input.found.warningWhole(
      'labels',
      'there are none, in the input or stored: no label will be detected',
    );
};

/**
 * Checks the input, compares it with stored documents, and finds what the input lacks. Writes
 * nothing. Returns the plan, or only the input if it has errors. Rejects if `prune` would remove
 * all artists.
 */
export const planImport = async (
  documents: DocumentStore,
  files: readonly InputFile[],
  { prune, now, onProgress, interruption, onChange }: PlanOptions,
): Promise<ImportPlan | Pick<ImportPlan, 'input'>> => {
  const input = await checkInput(files, { now, onProgress });
  if (input.found.isFull()) return { input };
  const comparison = { documents, input, prune, now, turn: createTurns(interruption), onChange };
  const compared = await comparePlan(comparison, onProgress);
  if (input.found.result().total > 0) return { input };
  if (prune && input.collections.has('artists') && input.artists.size === 0)
    throw new Error(
      'The input has no artists, and --prune would remove all stored ones: nothing was written.',
    );
  await warningPlan(comparison, compared);
  return compared.plan;
};
