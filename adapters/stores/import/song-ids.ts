import type { Database } from '../../cli/open-database.ts';
import { parseArtist } from '../documents/catalogue-documents.ts';
import { readStoredArtists } from '../mongodb/import.ts';
import { type CheckedInput, songsByArtist } from './check.ts';

/** Ids asked for at once. */
const batch = 500;

/** The songs of every artist that the input has, and of the stored ones that its series belong to. */
export const knownSongs = async (
  db: Database,
  { artists, series }: CheckedInput,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> => {
  const songs = songsByArtist(artists);
  const others = [...new Set(series.map(({ model }) => model.artistId))].filter((id) => !songs.has(id));
  for (let start = 0; start < others.length; start += batch) {
    for (const document of await readStoredArtists(db, others.slice(start, start + batch), [])) {
      const parsed = parseArtist(document);
      if ('model' in parsed) songs.set(parsed.model.id, new Set(parsed.model.songs.map(({ id }) => id)));
    }
  }
  return songs;
};
