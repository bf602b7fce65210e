import { expect } from 'chai';
import { openMongo } from '../../adapters/stores/mongodb/connection.ts';
import { createMongoIndexes } from '../../adapters/stores/mongodb/indexes.ts';
import { useCleanup } from '../support/cleanup.ts';
import { startScriptedMongo } from '../support/stores/scripted-mongo.ts';
import { rejectionOf } from '../support/wait.ts';

interface Listed {
  readonly name: string;
  readonly key: Readonly<Record<string, number>>;
  readonly [option: string]: unknown;
}

describe('an index of MongoDB that somebody made by hand', () => {
  const cleanup = useCleanup(afterEach);

  /** A server of which one collection has these indexes, listed as MongoDB lists them. */
  const open = async (collection: string, ...indexes: readonly Listed[]) => {
    const server = await cleanup.start(
      startScriptedMongo({}, (name, command) => {
        if (name !== 'listIndexes') return { createdCollectionAutomatically: true };
        const firstBatch = indexes.map((index) => ({ v: 2, ...index }));
        if (command[name] === collection)
          return { cursor: { id: 0n, ns: `gateway.${collection}`, firstBatch } };
        return { ok: 0, code: 26, codeName: 'NamespaceNotFound', errmsg: 'ns does not exist' };
      }),
    );
    const url = `mongodb://127.0.0.1:${server.port}/gateway`;
    const { db } = cleanup.add(openMongo(url), ({ close }) => close());
    return { ...createMongoIndexes(db), commands: server.commands };
  };

  const faults: readonly (readonly [collection: string, index: Listed, fault: string])[] = [
    ['artists', { name: 'stable_id', key: { id: 1 } }, 'is not unique'],
    ['artists', { name: 'stable_id', key: { name: 1 }, unique: true }, 'has another key'],
    ['artists', { name: 'id_1', key: { id: 1 } }, 'is not unique'],
    [
      'history',
      { name: 'series', key: { artist_id: 1, metric: 1, song_id: 1 }, unique: true },
      'has another key',
    ],
    [
      'history',
      { name: 's', key: { artist_id: 1, song_id: 1, metric: 1 }, unique: true, sparse: true },
      'is sparse',
    ],
    ['usage', { name: 'day', key: { day: 1 }, unique: true }, 'is unique'],
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
      { name: 'followed', key: { _id: 1, updated_at: 1 }, partialFilterExpression: { tier: 'x' } },
      'does not hold every document in the order of code points',
    ],
  ];
  for (const [collection, index, fault] of faults)
    it(`stands in the way as ${collection}.${index.name}, which ${fault}: it is named with the remedy, and nothing is created`, async () => {
      const { check, create, commands } = await open(collection, index);
      const name = JSON.stringify(index.name);
      const sentence = `the index ${collection}.${index.name} ${fault}: remove it with db.${collection}.dropIndex(${name}) in mongosh, then run "artist-gateway catalogue indexes"`;
      expect((await check()).obstacles).to.deep.equal([sentence]);
      expect(await rejectionOf(create())).to.equal(
        `An index that is needed cannot be created: ${sentence}.`,
      );
      const before = Object.keys({ artists: 0, history: 1 }).indexOf(collection);
      if (before === 0) expect(commands).to.not.include('createIndexes');
    });

  const serving: readonly (readonly [collection: string, index: Listed, serves: string])[] = [
    ['artists', { name: 'mine', key: { id: 1 }, unique: true }, 'artists.stable_id'],
    ['labels', { name: 'name_1', key: { name: 1 }, unique: true }, 'labels.name'],
    ['usage', { name: 'ttl', key: { expires_at: 1 }, expireAfterSeconds: 0 }, 'usage.expiry'],
  ];
  for (const [collection, index, serves] of serving)
    it(`serves as ${serves} under the name ${index.name}, and is not created again`, async () => {
      const { check, create, needed } = await open(collection, index);
      const { missing, obstacles } = await check();
      expect(missing).to.deep.equal(needed.filter((name) => name !== serves));
      expect(obstacles).to.deep.equal([]);
      await create();
    });

  it('stands in the way of none if it has another name and a collation, or holds some documents only', async () => {
    const { check } = await open(
      'artists',
      { name: 'a', key: { id: 1 }, unique: true, collation: { locale: 'de' } },
      { name: 'b', key: { id: 1 }, unique: true, partialFilterExpression: { tier: 'x' } },
    );
    const { missing, obstacles } = await check();
    expect(missing).to.include('artists.stable_id');
    expect(obstacles).to.deep.equal([]);
  });
});
