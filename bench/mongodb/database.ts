import { type Document, MongoClient } from 'mongodb';
import type { ArtistDocument } from '../catalogue/artists.ts';
import type { SeriesDocument } from '../catalogue/histories.ts';
import type { Keys } from '../catalogue/keys.ts';
import { labels } from '../catalogue/words.ts';
import { startStandIn } from './stand-in.ts';

/** A database that a gateway follows. */
export interface Database {
  readonly url: string;
  /** Changes every so many-th artist, as an editor would: a member and the instant of change. */
  change(everyOther: number): Promise<void>;
  /** Replaces all keys. */
  replaceKeys(documents: readonly Document[]): Promise<void>;
}

export interface DatabaseContents {
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

const openStandIn = async (contents: DatabaseContents): Promise<Database> => {
  const collections = documentsOf(contents);
  const artists = collections.get('artists') ?? [];
  return {
    url: await startStandIn(collections),
    async change(everyOther) {
      for (let index = 0; index < artists.length; index += everyOther) {
        const artist = artists[index];
        artists[index] = { ...artist, country_code: 'IS', updated_at: new Date() };
      }
    },
    async replaceKeys(documents) {
      collections.set('api_keys', [...documents]);
    },
  };
};

/** Fills a real server; what is in these collections of its database is lost. */
const fillServer = async (url: string, contents: DatabaseContents): Promise<Database> => {
  const client = new MongoClient(url);
  for (const [name, documents] of documentsOf(contents)) {
    const collection = client.db().collection<Document>(name);
    await collection.deleteMany({});
    if (documents.length > 0) await collection.insertMany(documents);
  }
  await client.db().collection('artists').createIndex({ _id: 1, updated_at: 1 }, { name: 'followed' });
  await client.db().collection('history').createIndex({ artist_id: 1, song_id: 1, metric: 1 }, { name: 'series' });
  await client.close();
  return {
    url,
    async change(everyOther) {
      const other = new MongoClient(url);
      const ids = contents.artists.filter((_, index) => index % everyOther === 0).map(({ _id }) => _id);
      const set = { $set: { country_code: 'IS', updated_at: new Date() } };
      await other
        .db()
        .collection<{ _id: string }>('artists')
        .updateMany({ _id: { $in: ids } }, set);
      await other.close();
    },
    async replaceKeys(documents) {
      const other = new MongoClient(url);
      const keys = other.db().collection<Document>('api_keys');
      const upsert = (document: Document) => ({
        filter: { _id: document['_id'] },
        replacement: document,
        upsert: true,
      });
      await keys.bulkWrite(documents.map((document) => ({ replaceOne: upsert(document) })));
      await keys.deleteMany({ _id: { $nin: documents.map(({ _id }) => _id) } });
      await other.close();
    },
  };
};

/** The server that `--mongodb` names, or one that stands in for it. */
export const openDatabase = (url: string | undefined, contents: DatabaseContents): Promise<Database> =>
  url === undefined ? openStandIn(contents) : fillServer(url, contents);
