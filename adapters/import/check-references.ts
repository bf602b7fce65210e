import type { DocumentStore } from '../stores/database.ts';
import { parseArtist } from '../stores/documents/catalogue-documents.ts';
import type { StoredDocument } from '../stores/documents/stored-document.ts';
import { type CheckedInput, checkInput, type InputArtist, type InputSeries, type OnProgress } from './check-input.ts';
import type { InputFile } from './input-files.ts';

/** Artists read from the database at once. */
const batchSize = 500;

/** The songs of the stored artists that series of the input belong to, without those of artists in the input. */
export const readSongIds = async (documents: DocumentStore, { series, artists }: CheckedInput) => {
  const songs = new Map<string, ReadonlySet<string>>();
  const others = [...series.keys()].filter((id) => !artists.has(id));
  for (let start = 0; start < others.length; start += batchSize) {
    for await (const document of documents.find('artists', { where: { id: others.slice(start, start + batchSize) } })) {
      const parsed = parseArtist(document);
      if ('model' in parsed) songs.set(parsed.model.id, new Set(parsed.model.songs.map(({ id }) => id)));
    }
  }
  return songs;
};

const orphanIssue = ({ artistId, songId }: InputSeries, songs: ReadonlySet<string> | undefined) => {
  if (songs === undefined) return { path: 'artist_id', message: `there is no artist ${artistId}` };
  if (songId === undefined || songs.has(songId)) return undefined;
  return { path: 'song_id', message: `the artist ${artistId} has no song ${songId}` };
};

/** Song ids by the id of their artist. */
type SongIds = Awaited<ReturnType<typeof readSongIds>>;

/** Refuses series whose artist, or whose song of that artist, is neither in the input nor among the stored ones. */
export const refuseOrphans = ({ series, artists, refusedArtistIds, found }: CheckedInput, stored: SongIds): void => {
  for (const [artistId, ofArtist] of series) {
    if (refusedArtistIds.has(artistId)) continue;
    const artist = artists.get(artistId);
    const songs = artist === undefined ? stored.get(artistId) : new Set(artist.songIds);
    for (const one of ofArtist) {
      const issue = orphanIssue(one, songs);
      const { songId: song_id, metric } = one;
      if (issue !== undefined) found.add(one, { artist_id: artistId, song_id, metric }, issue);
    }
  }
};

/** The checks of the input that need no database. `valid` counts the documents that have their own key and refer to what exists. */
export const validateInput = async (files: readonly InputFile[], onProgress: OnProgress) => {
  const checked = await checkInput(files, onProgress);
  const before = checked.found.result().total;
  // Without a file of artists, series may belong to stored artists, which only an import can check.
  if (checked.collections.has('artists') && !checked.found.isFull()) refuseOrphans(checked, new Map());
  const result = checked.found.result();
  const series = [...checked.series.values()].flat().length - (result.total - before);
  return { ...result, valid: { artists: checked.artists.size, series, labels: checked.labels.size } };
};

/**
 * Refuses artists whose pair of ids differs from the stored pair: a stored document never changes its `_id`, and partners
 * of each form know an artist by one of the two.
 */
export const refuseIdConflicts = (
  artists: readonly InputArtist[],
  stored: readonly StoredDocument[],
  { found }: CheckedInput,
): void => {
  const byId = new Map(stored.map((artist) => [String(artist['id']), artist]));
  const byDocumentId = new Map(stored.map((artist) => [String(artist['_id']), artist]));
  const refuse = (artist: InputArtist, path: string, message: string): void =>
    found.add(artist, { id: artist.key, name: artist.name }, { path, message });
  for (const artist of artists) {
    const { key: id, documentId } = artist;
    const sameId = byId.get(id);
    const sameDocument = byDocumentId.get(documentId);
    if (sameId !== undefined && String(sameId['_id']) !== documentId) {
      refuse(artist, '_id', `${id} is stored with the _id ${String(sameId['_id'])}: give it that one`);
    } else if (sameDocument !== undefined && String(sameDocument['id']) !== id) {
      refuse(artist, 'id', `${documentId} is stored with the id ${String(sameDocument['id'])}: give it that one`);
    }
  }
};
