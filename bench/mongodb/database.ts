import { type Document, MongoClient } from 'mongodb';
import type { ArtistDocument } from '../catalogue/artists.ts';
import type { SeriesDocument } from '../catalogue/histories.ts';
import type { Keys } from '../catalogue/keys.ts';
import { labels } from '../catalogue/words.ts';
import { stopWithRow } from '../process/started.ts';
import { startStandIn } from './stand-in.ts';

/** A database that a gateway follows. */
interface Database {
  readonly url: string;
  /** Changes every so many-th artist, as an editor would: a member and the instant of change. */
  change(everyOther: number): Promise<void>;
}

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

const changedMembers = () => ({ country_code: 'IS', updated_at: new Date() });

/** A database in this process, whose keys can be replaced too. */
export const openStandIn = async (contents: DatabaseContents) => {
  const collections = documentsOf(contents);
  const artists = collections.get('artists') ?? [];
  return {
    url: await startStandIn(collections),
    async change(everyOther: number) {
      for (let index = 0; index < artists.length; index += everyOther)
        artists[index] = { ...artists[index], ...changedMembers() };
    },
    replaceKeys: (documents: readonly Document[]) => void collections.set('api_keys', [...documents]),
  };
};

/** Fills a real server; what is in these collections of its database is lost. */
const fillServer = async (url: string, contents: DatabaseContents): Promise<Database> => {
  const client = new MongoClient(url);
  stopWithRow(() => client.close());
  const db = client.db();
  for (const [name, documents] of documentsOf(contents)) {
    await db.collection(name).deleteMany({});
    if (documents.length > 0) await db.collection(name).insertMany(documents);
  }
  await db.collection('artists').createIndex({ _id: 1, updated_at: 1 }, { name: 'followed' });
  await db.collection('history').createIndex({ artist_id: 1, song_id: 1, metric: 1 }, { name: 'series', unique: true });
  return {
    url,
    async change(everyOther) {
      const artists = db.collection('artists');
      const all = await artists
        .find({}, { projection: { id: 1 } })
        .sort({ id: 1 })
        .toArray();
      const ids = all.filter((_, index) => index % everyOther === 0).map(({ _id }) => _id);
      await artists.updateMany({ _id: { $in: ids } }, { $set: changedMembers() });
    },
  };
};

/** The server that `--mongodb` names, or one that stands in for it. */
export const openDatabase = (url: string | undefined, contents: DatabaseContents): Promise<Database> =>
  url === undefined ? openStandIn(contents) : fillServer(url, contents);
