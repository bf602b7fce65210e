import type { Document } from 'mongodb';
import type { ArtistDocument } from '../catalogue/artists.ts';
import type { SeriesDocument } from '../catalogue/histories.ts';
import type { Keys } from '../catalogue/keys.ts';
import { labels } from '../catalogue/words.ts';
import { startStandIn } from './stand-in.ts';

interface DatabaseContents {
  readonly artists: readonly ArtistDocument[];
  readonly history: readonly SeriesDocument[];
  readonly keys: Keys;
}

/** Documents as MongoDB holds them: the instant of change is a date. */
const documentsOf = ({ artists, history, keys }: DatabaseContents): Map<string, Document[]> =>
  new Map<string, Document[]>([
    ['artists', artists.map((artist) => ({ ...artist, updated_at: new Date(String(artist['updated_at'])) }))],
    ['history', history.map((series, index) => ({ _id: `series ${index}`, ...series }))],
    ['labels', labels.map((name) => ({ _id: name, name, aliases: [] }))],
    ['api_keys', [...keys.documents]],
    ['organizations', [...keys.organizations]],
  ]);

/** A database in this process that a gateway follows. */
export const openDatabase = async (contents: DatabaseContents) => {
  const collections = documentsOf(contents);
  const artists = collections.get('artists') ?? [];
  return {
    url: await startStandIn(collections),
    /** Changes every so many-th artist, as an editor would: a member and the instant of change. */
    change(everyOther: number): void {
      for (let index = 0; index < artists.length; index += everyOther)
        artists[index] = { ...artists[index], country_code: 'IS', updated_at: new Date() };
    },
    replaceKeys: (documents: readonly Document[]) => void collections.set('api_keys', [...documents]),
  };
};
