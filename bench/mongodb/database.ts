import type { Document } from 'mongodb';
import { type ArtistDocument, generateArtist, mostListeners } from '../catalogue/artists.ts';
import type { SeriesDocument } from '../catalogue/histories.ts';
import type { Keys } from '../catalogue/keys.ts';
import { labels } from '../catalogue/words.ts';
import { startStandIn } from './stand-in.ts';

export interface Contents {
  readonly artists: number;
  readonly series?: (artist: ArtistDocument, index: number) => readonly SeriesDocument[];
  /** Replaces the generated artist at an index. */
  readonly artistAt?: (index: number) => ArtistDocument;
}

/** A database in this process, and its artists. */
export const openDatabase = async (keys: Keys, contents: Contents) => {
  const { artists: count, series = () => [], artistAt = generateArtist } = contents;
  const artists = Array.from({ length: count }, (_, index) => artistAt(index));
  // As MongoDB holds them: the instant of change is a date.
  const stored: Document[] = artists.map((artist) => ({
    ...artist,
    updated_at: new Date(String(artist['updated_at'])),
  }));
  const collections = new Map<string, Document[]>([
    ['artists', stored],
    ['history', artists.flatMap(series).map((one, index) => ({ _id: `series ${index}`, ...one }))],
    ['labels', labels.map((name) => ({ _id: name, name, aliases: [] }))],
    ['api_keys', [...keys.documents]],
    ['organizations', [...keys.organizations]],
  ]);
  let changes = 0;
  return {
    artists,
    replaceKeys: (documents: readonly Document[]) =>
      void collections.set('api_keys', [...documents]),
    ...(await startStandIn(collections)),
    /** Changes one artist in `everyOther`: a field that both forms show. */
    change(everyOther: number): void {
      changes += 1;
      for (let index = 0; index < stored.length; index += everyOther)
        stored[index] = {
          ...stored[index],
          metrics: { ...artists[index]?.metrics, monthly_listeners: mostListeners + changes },
          updated_at: new Date(),
        };
    },
  };
};

export type Database = Awaited<ReturnType<typeof openDatabase>>;
