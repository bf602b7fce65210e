import type {
  DocumentQuery,
  DocumentStore,
  DocumentUpdate,
} from '../../adapters/stores/database.ts';
import { storedSeriesKey } from '../../adapters/stores/documents/catalogue-documents.ts';
import type { StoredDocument } from '../../adapters/stores/documents/stored-document.ts';
import { groupBy } from '../../src/domain/groups.ts';
import { type CheckedInput, type InputDocument, songIdsIn } from './check-input.ts';
import { orphanIssues } from './check-references.ts';
import type { CatalogueCollection } from './input-files.ts';
import { type DayCounts, type MemberChanges, mergeMembers } from './merge-members.ts';
import {
  asRead,
  changedAt,
  omitMaintained,
  readStored,
  type StoredVersion,
  unfinishedMark,
} from './to-stored.ts';

/** Reads all documents that a query finds. */
export const readAll = async (
  documents: DocumentStore,
  collection: string,
  query?: DocumentQuery,
): Promise<StoredDocument[]> => {
  const found: StoredDocument[] = [];
  for await (const document of documents.find(collection, query)) found.push(document);
  return found;
};

/** What an import compares, and how. */
export interface Comparison {
  readonly documents: DocumentStore;
  readonly input: CheckedInput;
  /** Whether to remove what the input does not have, in the collections that it has a file for. */
  readonly prune: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Lets the event loop run; awaited between two documents. */
  readonly turn: () => Promise<void>;
}

/** The documents of one collection to write. */
export interface DocumentChanges {
  readonly added: readonly InputDocument[];
  /** Stored documents, each with the members to write. */
  readonly changed: readonly DocumentUpdate[];
  /** Stored documents that the input does not have, when it prunes. */
  readonly removed: readonly StoredVersion[];
  readonly counts: {
    readonly unchanged: number;
    /** Stored documents that the input does not have and that stay. */
    readonly kept: number;
    readonly days: DayCounts;
    /** Members that are no part of the format and that the input does not have. */
    readonly extraMembers: number;
  };
}

export const noDays: DayCounts = { created: 0, changed: 0, unchanged: 0, extra: 0 };

/** Adds the numbers of two records, by their names. */
export const addNumbers = <Name extends string>(
  one: Readonly<Record<Name, number>>,
  other: Readonly<Record<Name, number>>,
): Record<Name, number> => {
  const sum: Record<Name, number> = { ...one };
  for (const name in sum) sum[name] += other[name];
  return sum;
};

/** The instant of change of a series only moves forward, in whichever order its files are imported. */
const withLaterInstant = (given: StoredDocument, stored: StoredDocument): StoredDocument =>
  changedAt(stored) > changedAt(given) ? { ...given, updated_at: stored['updated_at'] } : given;

/** What an import writes of a stored document that the input has too. */
const compareDocument = (
  given: InputDocument,
  stored: StoredDocument,
  { documents: { toJson }, prune }: Pick<Comparison, 'documents' | 'prune'>,
): MemberChanges => {
  const { collection } = given.file;
  const value = readStored(given);
  const newer = collection === 'history' ? withLaterInstant(value, stored) : value;
  return mergeMembers(
    collection,
    [omitMaintained(collection, newer), omitMaintained(collection, stored)],
    { prune, toJson },
  );
};

const isEmpty = (document: StoredDocument): boolean => Object.keys(document).length === 0;

/**
 * Compares documents of the input, by their keys, with the stored ones: of several with one key
 * with the first. Only labels can have several, as artists and series have unique indexes; gateways
 * serve the first by `_id`. `isExtra`: whether `--prune` removes a stored one that the input does
 * not have.
 */
export const compareDocuments = async (
  given: readonly InputDocument[],
  stored: readonly StoredDocument[],
  keyOf: (document: StoredDocument) => string,
  isExtra: (document: StoredDocument) => boolean,
  { documents, prune, turn }: Pick<Comparison, 'documents' | 'prune' | 'turn'>,
): Promise<DocumentChanges> => {
  const storedByKey = new Map(stored.toReversed().map((document) => [keyOf(document), document]));
  const changed: DocumentUpdate[] = [];
  let [unchanged, extraMembers, days] = [0, 0, noDays];
  for (const one of given) {
    const was = storedByKey.get(one.key);
    if (was === undefined) continue;
    const { document, before, ...counts } = compareDocument(one, was, { documents, prune });
    if (isEmpty(document)) unchanged += 1;
    else changed.push({ _id: was['_id'], document, before: { ...asRead(was).before, ...before } });
    extraMembers += counts.extraMembers;
    days = addNumbers(days, counts.days);
    await turn();
  }
  const compared = new Set(given.map(({ key }) => storedByKey.get(key)));
  const extra = stored.filter((document) => !compared.has(document) && isExtra(document));
  return {
    added: given.filter(({ key }) => !storedByKey.has(key)),
    changed,
    removed: prune ? extra.map(asRead) : [],
    counts: { unchanged, kept: prune ? 0 : extra.length, days, extraMembers },
  };
};

/** Whether there is anything to write. */
export const isChange = ({
  added,
  changed,
  removed,
}: Pick<DocumentChanges, 'added' | 'changed' | 'removed'>): boolean =>
  added.length + changed.length + removed.length > 0;

/**
 * Whether `--prune` removes a stored series that the input does not have: the input has a file of
 * history, or one of artists after which its artist, or its song, is gone.
 *
 * @param songs the ids of its artist's songs, `undefined` where there is no such artist
 */
export const isExtraSeries = (
  collections: ReadonlySet<CatalogueCollection>,
  series: StoredDocument,
  songs: ReadonlySet<unknown> | undefined,
): boolean =>
  collections.has('history') ||
  (collections.has('artists') && orphanIssues(series, songs).length > 0);

/** A stored artist to write. */
interface ArtistChange {
  readonly id: string;
  readonly _id: unknown;
  readonly before: StoredDocument;
  /** The members to write beside its instant of change, unless only its series change. */
  readonly document: StoredDocument | undefined;
  /** Whether series of it are written or removed, by this import or by one that was interrupted. */
  readonly withSeries: boolean;
  /**
   * The instants of change to write before its series, and after them. The last is the input's if
   * it is later than the stored one, otherwise now. They only move forward, because gateways reload
   * an artist when they move.
   */
  readonly begunAt: Date;
  readonly updatedAt: Date;
}

/** Compares an artist with the stored one; `change` is `undefined` when nothing changes. */
const compareArtist = (comparison: Comparison, stored: StoredDocument, seriesDiffer: boolean) => {
  const { input, now } = comparison;
  const id = String(stored['id']);
  const given = input.artists.get(id);
  const changes = given && compareDocument(given, stored, comparison);
  const [instant, before] = [given?.changedAt ?? 0, changedAt(stored)];
  const differs = changes !== undefined && (instant > before || !isEmpty(changes.document));
  const extraMembers = changes?.extraMembers ?? 0;
  const isOlder = differs && instant < before;
  if (!differs && !seriesDiffer && !(unfinishedMark in stored))
    return { extraMembers, isOlder, change: undefined };
  const change: ArtistChange = {
    id,
    _id: stored['_id'],
    /** Whoever else changes the artist moves its instant. */
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
  return { extraMembers, isOlder, change };
};

/**
 * Compares some artists, by stable id, and their series with what is stored. An artist that is not
 * in the input may still have series there, or lose some. Returns what an import writes for them.
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
  /** Artists of the input that differ from a later version that is stored. */
  const olderIds: string[] = [];
  const counts = { unchangedArtists: 0, unchangedSeries: 0, extraMembers: 0 };
  let days = noDays;
  for (const id of artistIds) {
    const artist = storedById.get(id);
    const songs = input.artists.get(id)?.songIds ?? (artist && songIdsIn(artist));
    const changes = await compareDocuments(
      [...(input.series.get(id)?.values() ?? [])],
      seriesByArtist.get(id) ?? [],
      storedSeriesKey,
      (one) => isExtraSeries(input.collections, one, songs),
      comparison,
    );
    series.added.push(...changes.added);
    series.changed.push(...changes.changed);
    series.removed.push(...changes.removed);
    counts.unchangedSeries += changes.counts.unchanged;
    counts.extraMembers += changes.counts.extraMembers;
    days = addNumbers(days, changes.counts.days);
    if (artist !== undefined) {
      const { change, extraMembers, isOlder } = compareArtist(
        comparison,
        artist,
        isChange(changes),
      );
      counts.extraMembers += extraMembers;
      if (isOlder) olderIds.push(id);
      if (change !== undefined) changedArtists.push(change);
      else if (input.artists.has(id)) counts.unchangedArtists += 1;
    }
    await turn();
  }
  return {
    stored,
    addedArtists: given.filter(({ key }) => !storedById.has(key)),
    changedArtists,
    series,
    counts: { ...counts, days },
    olderIds,
  };
};

export type ArtistBatch = Awaited<ReturnType<typeof compareBatch>>;
