import { isDeepStrictEqual } from 'node:util';
import type {
  DocumentQuery,
  DocumentStore,
  DocumentUpdate,
} from '../../adapters/stores/database.ts';
import { storedSeriesKey } from '../../adapters/stores/documents/catalogue-documents.ts';
import type { StoredDocument } from '../../adapters/stores/documents/stored-document.ts';
import { groupBy } from '../../src/domain/groups.ts';
import { maxDocumentBytes } from './check-document.ts';
import { type CheckedInput, type InputDocument, songIdsIn } from './check-input.ts';
import { orphanIssues } from './check-references.ts';
import type { CatalogueCollection } from './input-files.ts';
import { differences, findJumps, jumpOn, type OnChange, wholeChange } from './list-changes.ts';
import {
  countExtra,
  type ImportCounts,
  type MemberChanges,
  mergeMembers,
  noCounts,
} from './merge-members.ts';
import {
  asRead,
  changedAt,
  omitMaintained,
  readStored,
  type StoredVersion,
  unfinishedMark,
} from './to-stored.ts';

export const readAll = async (
  documents: DocumentStore,
  collection: string,
  query?: DocumentQuery,
): Promise<StoredDocument[]> => {
  const found: StoredDocument[] = [];
  for await (const document of documents.find(collection, query)) found.push(document);
  return found;
};

export interface Comparison {
  readonly documents: DocumentStore;
  readonly input: CheckedInput;
  readonly prune: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Lets the event loop run; awaited between two documents. */
  readonly turn: () => Promise<void>;
  readonly onChange?: OnChange | undefined;
}

export interface DocumentChanges {
  readonly added: readonly InputDocument[];
  readonly changed: readonly DocumentUpdate[];
  readonly removed: readonly StoredVersion[];
  readonly counts: Readonly<Record<'documents' | 'days' | 'members', ImportCounts>>;
}

const addCounts = (one: ImportCounts, other: ImportCounts): ImportCounts => ({
  created: one.created + other.created,
  changed: one.changed + other.changed,
  touched: one.touched + other.touched,
  unchanged: one.unchanged + other.unchanged,
  kept: one.kept + other.kept,
  removed: one.removed + other.removed,
});

export const addLevels = <Level extends string>(
  one: Readonly<Record<Level, ImportCounts>>,
  other: Readonly<Record<NoInfer<Level>, ImportCounts>>,
): Record<Level, ImportCounts> => {
  const sums: Record<Level, ImportCounts> = { ...one };
  for (const level in sums) sums[level] = addCounts(sums[level], other[level]);
  return sums;
};

const pointOn = ({ points }: StoredDocument, day: string): unknown =>
  Array.isArray(points) ? points.find(({ date }) => date === day) : undefined;

/**
 * A series' change time only moves forward, regardless of the order in which files are imported.
 */
const withLaterInstant = (given: StoredDocument, stored: StoredDocument): StoredDocument =>
  changedAt(stored) > changedAt(given) ? { ...given, updated_at: stored['updated_at'] } : given;

const isEmpty = (document: StoredDocument): boolean => Object.keys(document).length === 0;

/**
 * Returns what an import writes to a stored document that is also in the input. Rejects a merged
 * document that an export would omit. Warns of points that are wrong next to stored points.
 */
const compareDocument = (
  given: InputDocument,
  stored: StoredDocument,
  { documents: { toJson }, prune, input: { found }, onChange }: Comparison,
): MemberChanges => {
  const { collection } = given.file;
  const value = readStored(given);
  const newer = collection === 'history' ? withLaterInstant(value, stored) : value;
  const changes = mergeMembers(
    collection,
    [omitMaintained(collection, newer), omitMaintained(collection, stored)],
    { prune, toJson },
  );
  const { document, old, merged } = changes;
  if (isEmpty(document)) return changes;
  const size = Buffer.byteLength(JSON.stringify(merged));
  if (size > maxDocumentBytes)
    found.add(given, {
      path: 'document',
      message: `would have ${(size / 2 ** 20).toFixed(1)} MB with what is stored; a document may have 8 MB`,
    });
  if (collection === 'history') {
    const isKnown = findJumps(value);
    const isStored = (day: string) => isDeepStrictEqual(pointOn(stored, day), pointOn(merged, day));
    for (const day of findJumps(merged))
      if (!isKnown.has(day) && !isStored(day)) found.warning(given, jumpOn(day));
  }
  if (onChange !== undefined)
    for (const [path, now] of Object.entries(document))
      for (const difference of differences(path, [old[path], now]))
        onChange({ ...wholeChange('changed', collection, given.key), ...difference });
  return changes;
};

/**
 * Compares documents of the input with stored documents by key; of several stored documents with
 * one key, with the first. Only labels can have several (artists and series have unique indexes),
 * and gateways serve the first by `_id`. `isExtra`: true if `--prune` removes a stored document
 * that the input lacks.
 */
export const compareDocuments = async (
  collection: CatalogueCollection,
  given: readonly InputDocument[],
  stored: readonly StoredDocument[],
  keyOf: (document: StoredDocument) => string,
  isExtra: (document: StoredDocument) => boolean,
  comparison: Comparison,
): Promise<DocumentChanges> => {
  const { prune, turn, onChange } = comparison;
  const storedByKey = new Map(stored.toReversed().map((document) => [keyOf(document), document]));
  const changed: DocumentUpdate[] = [];
  let [unchanged, levels] = [0, { days: noCounts, members: noCounts }];
  for (const one of given) {
    const was = storedByKey.get(one.key);
    if (was === undefined) continue;
    const { document, before, ...changes } = compareDocument(one, was, comparison);
    if (isEmpty(document)) unchanged += 1;
    else changed.push({ _id: was['_id'], document, before: { ...asRead(was).before, ...before } });
    levels = addLevels(levels, changes);
    await turn();
  }
  const compared = new Set(given.map(({ key }) => storedByKey.get(key)));
  const extra = stored.filter((document) => !compared.has(document) && isExtra(document));
  const added = given.filter(({ key }) => !storedByKey.has(key));
  const removed = prune ? extra : [];
  for (const { key } of added) onChange?.(wholeChange('added', collection, key));
  for (const one of removed) onChange?.(wholeChange('removed', collection, keyOf(one)));
  return {
    added,
    changed,
    removed: removed.map(asRead),
    counts: {
      ...levels,
      documents: {
        ...noCounts,
        created: added.length,
        changed: changed.length,
        unchanged,
        ...countExtra(prune, extra.length),
      },
    },
  };
};

export const isChange = ({
  added,
  changed,
  removed,
}: Pick<DocumentChanges, 'added' | 'changed' | 'removed'>): boolean =>
  added.length + changed.length + removed.length > 0;

/**
 * True if `--prune` removes a stored series that the input lacks: the input has a file of history,
 * or a file of artists after which the artist or the song is gone.
 *
 * @param songs the ids of the artist's songs, `undefined` without such an artist
 */
export const isExtraSeries = (
  collections: ReadonlySet<CatalogueCollection>,
  series: StoredDocument,
  songs: ReadonlySet<unknown> | undefined,
): boolean =>
  collections.has('history') ||
  (collections.has('artists') && orphanIssues(series, songs).length > 0);

interface ArtistChange {
  readonly id: string;
  readonly _id: unknown;
  readonly before: StoredDocument;
  /** Fields to write in addition to the change time, unless only the series change. */
  readonly document: StoredDocument | undefined;
  /** True if its series are written or removed, by this import or by an interrupted one. */
  readonly withSeries: boolean;
  /**
   * Change times to write before the series, and after them. The last is the input's if it is later
   * than the stored one, otherwise now. They only move forward, because gateways reload an artist
   * when they move.
   */
  readonly begunAt: Date;
  readonly updatedAt: Date;
}

const compareArtist = (comparison: Comparison, stored: StoredDocument, seriesDiffer: boolean) => {
  const { input, now } = comparison;
  const id = String(stored['id']);
  const given = input.artists.get(id);
  const changes = given && compareDocument(given, stored, comparison);
  const [instant, before] = [given?.changedAt ?? 0, changedAt(stored)];
  const differs = changes !== undefined && (instant > before || !isEmpty(changes.document));
  const members = changes?.members ?? noCounts;
  const isOlder = differs && instant < before;
  if (given !== undefined && instant > before)
    comparison.onChange?.({
      ...wholeChange('changed', 'artists', id),
      member: 'updated_at',
      old: stored['updated_at'],
      new: new Date(instant),
    });
  if (!differs && !seriesDiffer && !(unfinishedMark in stored))
    return { members, isOlder, change: undefined };
  const change: ArtistChange = {
    id,
    _id: stored['_id'],
    /** Other programs that change the artist move its change time. */
    before: {
      ...asRead(stored).before,
      updated_at: stored['updated_at'],
      ...(differs && changes.before),
    },
    document: differs ? changes.document : undefined,
    withSeries: seriesDiffer || !differs,
    begunAt: new Date(before + 1),
    updatedAt: new Date(Math.max(instant > before ? instant : now, before + 2)),
  };
  return { members, isOlder, change };
};

/**
 * Compares artists, by stable id, and their series with stored documents. An artist that the input
 * lacks may have series in it, or lose some. Returns what an import writes for them.
 */
export const compareBatch = async (comparison: Comparison, artistIds: readonly string[]) => {
  const { documents, input, turn } = comparison;
  const given = artistIds.flatMap((id) => input.artists.get(id) ?? []);
  const stored = await readAll(documents, 'artists', { where: { id: artistIds } });
  const storedSeries = await readAll(documents, 'history', { where: { artist_id: artistIds } });
  const storedById = new Map(stored.map((artist) => [String(artist['id']), artist]));
  const seriesByArtist = groupBy(storedSeries, ({ artist_id }) => String(artist_id));
  const series: { added: InputDocument[]; changed: DocumentUpdate[]; removed: StoredVersion[] } = {
    added: [],
    changed: [],
    removed: [],
  };
  const changedArtists: ArtistChange[] = [];
  const olderIds: string[] = [];
  let levels = { series: noCounts, days: noCounts, members: noCounts };
  let unchanged = 0;
  for (const id of artistIds) {
    const artist = storedById.get(id);
    const songs = input.artists.get(id)?.songIds ?? (artist && songIdsIn(artist));
    const changes = await compareDocuments(
      'history',
      [...(input.series.get(id)?.values() ?? [])],
      seriesByArtist.get(id) ?? [],
      storedSeriesKey,
      (one) => isExtraSeries(input.collections, one, songs),
      comparison,
    );
    series.added.push(...changes.added);
    series.changed.push(...changes.changed);
    series.removed.push(...changes.removed);
    levels = addLevels(levels, { ...changes.counts, series: changes.counts.documents });
    if (artist !== undefined) {
      const { change, members, isOlder } = compareArtist(comparison, artist, isChange(changes));
      levels = { ...levels, members: addCounts(levels.members, members) };
      if (isOlder) olderIds.push(id);
      if (change !== undefined) changedArtists.push(change);
      else if (input.artists.has(id)) unchanged += 1;
    }
    await turn();
  }
  const addedArtists = given.filter(({ key }) => !storedById.has(key));
  for (const { key } of addedArtists) comparison.onChange?.(wholeChange('added', 'artists', key));
  const touched = changedArtists.filter(({ document }) => document === undefined).length;
  const artists = {
    ...noCounts,
    created: addedArtists.length,
    changed: changedArtists.length - touched,
    touched,
    unchanged,
  };
  return {
    stored,
    addedArtists,
    changedArtists,
    series,
    counts: { ...levels, artists },
    olderIds,
  };
};

export type ArtistBatch = Awaited<ReturnType<typeof compareBatch>>;
