import { isList, isObject, type Json, type JsonObject, listAt, textAt } from '../../../src/crosswalk/json.ts';
import { groupBy } from '../../../src/domain/groups.ts';
import { type KnownArtist, toKnownArtist } from '../cases/placeholders.ts';
import { byText, newestFirst, thenBy } from './invariants.ts';
import { createIdPairs, type IdPairs } from './pairing.ts';

/**
 * The stored documents, to check members that only one form shows. They are read by rules of their own, which share no code
 * with the stores.
 */
interface StoredCatalogue {
  /** In list order, with every series, in the shape of the current form's answers. */
  readonly artists: readonly Json[];
  /** In list order, without those that no request can ask for. */
  readonly knownArtists: readonly KnownArtist[];
  readonly idPairs: IdPairs;
}

const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}.*$/;

/** The members that hold a day or an instant; `freshness` is an object of them. */
const instantMembers: readonly string[] = ['added_at', 'checked_at', 'updated_at', 'freshness'];

/** Answers have instants in UTC with milliseconds, well-formed texts and one zero; a stored `null` is an absent member. */
const normalise = (value: Json, isInstant = false): Json => {
  if (typeof value === 'string') {
    const time = isInstant && instant.test(value) ? Date.parse(value) : Number.NaN;
    return Number.isNaN(time) ? value.replaceAll(/\p{Surrogate}/gu, '\ufffd') : new Date(time).toISOString();
  }
  if (typeof value === 'number') return value + 0; // -0 becomes 0
  if (isObject(value)) {
    const known = Object.entries(value).filter(([, member]) => member !== null);
    return Object.fromEntries(
      known.map(([name, member]) => [name, normalise(member, isInstant || instantMembers.includes(name))]),
    );
  }
  return isList(value) ? value.map((one) => normalise(one)) : value;
};

const flags = ['estimated', 'stale', 'terminal'];

/** Answers omit the flags of a point that are false. */
const toPoint = (point: Json): Json =>
  isObject(point)
    ? Object.fromEntries(Object.entries(point).filter(([name, member]) => !(flags.includes(name) && member === false)))
    : point;

/** The series of an artist (without song) or of a song, by metric. */
const historyOf = (series: readonly Json[], songId: string | undefined): JsonObject =>
  Object.fromEntries(
    series
      .filter((one) => textAt(one, 'song_id') === songId)
      .map((one) => [textAt(one, 'metric') ?? '', listAt(one, 'points').map(toPoint)]),
  );

const toArtist = (document: JsonObject, series: readonly Json[]): Json => {
  const songs = listAt(document, 'songs').toSorted(thenBy(newestFirst('added_at'), byText('id')));
  const toSong = (song: Json): Json =>
    isObject(song) ? { ...song, history: historyOf(series, textAt(song, 'id')) } : song;
  return { ...document, history: historyOf(series, undefined), songs: songs.map(toSong) };
};

/** Reads documents, as they are in files, into the shape of answers. Of documents with the same identifier the first counts. */
export const readStoredCatalogue = (
  documents: Readonly<Record<'artists' | 'series', readonly Json[]>>,
): StoredCatalogue => {
  const series = groupBy(
    documents.series.map((one) => normalise(one)),
    (one) => textAt(one, 'artist_id') ?? '',
  );
  const artists = new Map<string, Json>();
  const documentIds = new Set<string>();
  for (const document of documents.artists.map((one) => normalise(one))) {
    const id = textAt(document, 'id') ?? '';
    const documentId = textAt(document, '_id') ?? '';
    if (!isObject(document) || artists.has(id) || documentIds.has(documentId)) continue;
    artists.set(id, toArtist(document, series.get(id) ?? []));
    documentIds.add(documentId);
  }
  const listed = [...artists.values()].sort(thenBy(newestFirst('date_added'), byText('id')));
  return {
    artists: listed,
    knownArtists: listed.flatMap((artist) => toKnownArtist(artist, textAt(artist, '_id')) ?? []),
    idPairs: createIdPairs(
      listed.map((artist) => ({ current: textAt(artist, 'id') ?? '', variant: textAt(artist, '_id') ?? '' })),
    ),
  };
};
