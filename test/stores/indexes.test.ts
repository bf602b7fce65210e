import { expect } from 'chai';
import { type Db, MongoServerError } from 'mongodb';
import { createMongoIndexes } from '../../adapters/stores/mongodb/indexes.ts';
import { insertDocuments, readFixtures } from '../support/documents.ts';
import { useMongo } from '../support/stores/mongo-database.ts';
import { rejectionOf } from '../support/wait.ts';

interface Listed {
  readonly name: string;
  readonly key: Readonly<Record<string, number>>;
  readonly [option: string]: unknown;
}

/** Opens a database whose one collection has these indexes. */
const open = (collection: string, ...indexes: readonly Listed[]) => {
  const created: string[] = [];
  const list = (name: string) => async () => {
    if (name !== collection) throw new MongoServerError({ code: 26, message: 'no namespace' });
    return indexes;
  };
  // Seam: all that the indexes use.
  const db = {
    collection: (name: string) => ({
      listIndexes: () => ({ toArray: list(name) }),
      createIndexes: async (some: readonly Listed[]) =>
        created.push(...some.map((index) => `${name}.${index.name}`)),
    }),
  } as unknown as Db;
  return { ...createMongoIndexes(db), created };
};

const series = { artist_id: 1, song_id: 1, metric: 1 };
const unique = true;
const partialFilterExpression = { tier: 'x' };

const faults: readonly (readonly [collection: string, index: Listed, fault: string])[] = [
  ['artists', { name: 'stable_id', key: { id: 1 } }, 'is not unique'],
  ['artists', { name: 'stable_id', key: { name: 1 }, unique }, 'has another key'],
  ['artists', { name: 'id_1', key: { id: 1 } }, 'is not unique'],
  [
    'history',
    { name: 'series', key: { artist_id: 1, metric: 1, song_id: 1 }, unique },
    'has another key',
  ],
  ['history', { name: 's', key: series, unique, sparse: true }, 'is sparse'],
  ['usage', { name: 'day', key: { day: 1 }, unique }, 'is unique'],
  [
    'usage',
    { name: 'day', key: { day: 1 }, expireAfterSeconds: 60 },
    'removes documents (expireAfterSeconds)',
  ],
  [
    'usage',
    { name: 'old', key: { expires_at: 1 }, expireAfterSeconds: 9 },
    'has another expireAfterSeconds than 0',
  ],
  ['key_log', { name: 'newest', key: { at: 1, _id: 1 }, hidden: true }, 'is hidden'],
  [
    'artists',
    { name: 'followed', key: { _id: 1, updated_at: 1 }, partialFilterExpression },
    'does not hold every document in the order of code points',
  ],
];

const serving: readonly (readonly [collection: string, index: Listed, serves: string])[] = [
  ['artists', { name: 'mine', key: { id: 1 }, unique }, 'artists.stable_id'],
  ['labels', { name: 'name_1', key: { name: 1 }, unique }, 'labels.name'],
  ['usage', { name: 'ttl', key: { expires_at: 1 }, expireAfterSeconds: 0 }, 'usage.expiry'],
];

describe('indexes of MongoDB', () => {
  const mongo = useMongo();

  it('are missing until they are created, which is idempotent', async () => {
    const { check, needed, create } = createMongoIndexes(mongo.db);
    expect(needed).to.have.length(15);
    for (const documents of [{}, readFixtures()]) {
      await insertDocuments(mongo.db, documents);
      expect(await check()).to.deep.equal({ missing: needed, obstacles: [] });
    }
    for (let times = 0; times < 2; times += 1) await create();
    expect(await check()).to.deep.equal({ missing: [], obstacles: [] });
  });

  for (const [collection, index, fault] of faults)
    it(`reject an existing ${collection}.${index.name} that ${fault}, with the remedy`, async () => {
      const { check, create, created } = open(collection, index);
      const name = JSON.stringify(index.name);
      const sentence = `the index ${collection}.${index.name} ${fault}: remove it with db.${collection}.dropIndex(${name}) in mongosh, then run "artist-gateway catalogue indexes"`;
      expect((await check()).obstacles).to.deep.equal([sentence]);
      expect(await rejectionOf(create())).to.equal(
        `An index that is needed cannot be created: ${sentence}.`,
      );
      expect(created.filter((one) => one.startsWith(collection))).to.deep.equal([]);
    });

  for (const [collection, index, serves] of serving)
    it(`use an existing ${collection}.${index.name} as ${serves}`, async () => {
      const { check, create, created, needed } = open(collection, index);
      const missing = needed.filter((name) => name !== serves);
      expect(await check()).to.deep.equal({ missing, obstacles: [] });
      await create();
      expect(created).to.deep.equal(missing);
    });

  it('ignore an existing index with another name and a collation or a filter', async () => {
    const { check } = open(
      'artists',
      { name: 'a', key: { id: 1 }, unique, collation: { locale: 'de' } },
      { name: 'b', key: { id: 1 }, unique, partialFilterExpression },
    );
    const { missing, obstacles } = await check();
    expect(missing).to.include('artists.stable_id');
    expect(obstacles).to.deep.equal([]);
  });
});
