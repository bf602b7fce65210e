import type { Artist } from '../../../src/domain/model.ts';
import { parseArtist } from '../documents/catalogue-documents.ts';
import { type DocumentError, errorAt } from '../documents/document-file.ts';
import { type ImportDatabase, readStoredArtists, type StoredDocument } from '../mongodb/import.ts';
import { type CheckedDocument, type CheckedInput, checkInput } from './check-input.ts';
import type { ImportInput } from './input-files.ts';

/** Song ids by the id of their artist. */
export type SongIds = ReadonlyMap<string, ReadonlySet<string>>;

const songIdsOf = ({ songs }: Artist): ReadonlySet<string> => new Set(songs.map(({ id }) => id));

/** The songs of the artists in the input. */
export const inputSongIds = ({ artists }: CheckedInput): SongIds =>
  new Map(artists.map(({ model }) => [model.id, songIdsOf(model)]));

/** Artists read from the database at once. */
const batchSize = 500;

/** The songs of the artists in the input, and of the stored artists that other series of the input belong to. */
export const readSongIds = async (db: ImportDatabase, input: CheckedInput): Promise<SongIds> => {
  const songs = new Map(inputSongIds(input));
  const others = [...new Set(input.series.map(({ model }) => model.artistId))].filter((id) => !songs.has(id));
  for (let start = 0; start < others.length; start += batchSize) {
    for (const document of await readStoredArtists(db, others.slice(start, start + batchSize), [])) {
      const parsed = parseArtist(document);
      if ('model' in parsed) songs.set(parsed.model.id, songIdsOf(parsed.model));
    }
  }
  return songs;
};

/** Refuses series whose artist, or whose song of that artist, does not exist. */
export const findOrphanedInput = ({ series, refusedArtistIds }: CheckedInput, songIds: SongIds): DocumentError[] =>
  series.flatMap(({ model: { artistId, songId }, position }) => {
    if (refusedArtistIds.has(artistId)) return [];
    const known = songIds.get(artistId);
    if (known === undefined) {
      return [errorAt(position(), { path: 'artist_id', message: `there is no artist ${artistId}` })];
    }
    if (songId === undefined || known.has(songId)) return [];
    return [errorAt(position(), { path: 'song_id', message: `the artist ${artistId} has no song ${songId}` })];
  });

/** The checks of the input that need no database. */
export const validateInput = (input: ImportInput): CheckedInput => {
  const checked = checkInput(input);
  // Without a file of artists, series may belong to stored artists, which only an import can check.
  const orphans = input.collections.has('artists') ? findOrphanedInput(checked, inputSongIds(checked)) : [];
  return { ...checked, refused: [...checked.refused, ...orphans] };
};

/**
 * Refuses artists whose pair of ids differs from the stored pair: a stored document never changes its `_id`, and partners
 * of each form know an artist by one of the two.
 */
export const findIdConflicts = (
  artists: readonly CheckedDocument<Artist>[],
  stored: readonly StoredDocument[],
): readonly DocumentError[] => {
  const byId = new Map(stored.map((artist) => [String(artist['id']), artist]));
  const byDocumentId = new Map(stored.map((artist) => [String(artist['_id']), artist]));
  return artists.flatMap(({ position, model: { id, documentId } }) => {
    const sameId = byId.get(id);
    if (sameId !== undefined && String(sameId['_id']) !== documentId) {
      const message = `${id} is stored with the _id ${String(sameId['_id'])}: give it that one`;
      return [errorAt(position(), { path: '_id', message })];
    }
    const sameDocument = byDocumentId.get(documentId);
    if (sameDocument !== undefined && String(sameDocument['id']) !== id) {
      const message = `${documentId} is stored with the id ${String(sameDocument['id'])}: give it that one`;
      return [errorAt(position(), { path: 'id', message })];
    }
    return [];
  });
};
