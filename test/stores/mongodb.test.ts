import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { type Db, Long } from 'mongodb';
import { formNames } from '../../adapters/forms/forms.ts';
import { createMongoCatalogue } from '../../adapters/stores/mongodb/catalogue.ts';
import { createMongoHistory } from '../../adapters/stores/mongodb/histories.ts';
import { createMongoIndexes } from '../../adapters/stores/mongodb/indexes.ts';
import { createMongoKeys } from '../../adapters/stores/mongodb/keys.ts';
import { buildArtist } from '../support/builders.ts';
import {
  insertDocuments,
  readFixtures,
  type StoredDocument,
  toBson,
} from '../support/documents.ts';
import { createMemoryLog } from '../support/log.ts';
import { useMongo } from '../support/stores/mongo-database.ts';
import { rejectionOf } from '../support/wait.ts';

describe('MongoDB', () => {
  const fixtures = readFixtures();
  const [template = {}] = fixtures.artists;
  const mongo = useMongo();
  const { finds } = mongo;

  const findsIn = (collection: string) => finds.filter(({ find }) => find === collection);
  const insertArtists = (...artists: StoredDocument[]) =>
    insertDocuments(mongo.db, { artists: artists.map((artist) => ({ ...template, ...artist })) });

  describe('the catalogue', () => {
    it('sets maxTimeMS on every read, and a longer one on the list of all artists', async () => {
      await insertDocuments(mongo.db, fixtures);
      await createMongoCatalogue(mongo.db).load();
      expect(finds.length).to.be.greaterThan(3);
      const [list, ...others] = [
        ...findsIn('artists'),
        ...finds.filter(({ find }) => find !== 'artists'),
      ];
      expect(list?.['maxTimeMS']).to.equal(10_000);
      for (const command of others)
        expect(command['maxTimeMS'], JSON.stringify(command)).to.equal(1_500);
    });

    it('reads the last 45 points of a series, and no series of songs', async () => {
      await insertDocuments(mongo.db, fixtures);
      await createMongoCatalogue(mongo.db).load();
      const [, recent] = findsIn('history'); // the first asks whether there is any
      expect(recent?.['filter']).to.include({ song_id: null });
      expect(recent?.['projection']).to.deep.include({ points: { $slice: -45 } });
    });

    it('reads two batches of artists at a time, and begins none after one has failed', async () => {
      await insertArtists(
        ...Array.from({ length: 1_000 }, (_, index) => ({ _id: `a${index}`, id: `art_${index}` })),
      );
      let batches = 0;
      let maxBatches = 2;
      const find = (filter: object, options: object) => {
        if ('_id' in filter) batches += 1;
        if ('_id' in filter && batches > maxBatches) throw new Error('lost');
        return mongo.db.collection('artists').find(filter, options);
      };
      const collection = (name: string) =>
        name === 'artists' ? { find } : mongo.db.collection(name);
      // all that a load uses
      const { load } = createMongoCatalogue({ collection } as unknown as Db);
      expect(await rejectionOf(load())).to.equal('lost');
      expect(batches).to.equal(5); // three, and two of the load that was tried again
      maxBatches = Number.POSITIVE_INFINITY;
      expect((await load()).artists).to.have.length(1_000);
    });

    it('counts the 2^53rd and no larger number as exact', async () => {
      const metrics = {
        spotify_streams: Long.fromString('9007199254740993'),
        monthly_listeners: Long.fromString('9007199254740992'),
      };
      await insertArtists({ _id: 'a', id: 'art_a', metrics });
      const { artists, faults } = await createMongoCatalogue(mongo.db).load();
      expect(artists[0]?.artist.metrics).to.deep.equal({ monthly_listeners: 2 ** 53 });
      expect(
        faults.map(({ event, document, reason }) => [event, document, reason.split(':')[0]]),
      ).to.deep.equal([['invalid field ignored', 'a (id art_a)', 'metrics.spotify_streams']]);
    });

    it('reads a faulty document again at every load, and returns the same contents until it is mended', async () => {
      await insertArtists(
        { _id: 'good', id: 'art_good' },
        { _id: 'bad', id: 'art_bad', country_code: 'Indonesia' },
      );
      const source = createMongoCatalogue(mongo.db);
      const contents = await source.load();
      finds.length = 0;
      expect(await source.load()).to.equal(contents);
      expect(findsIn('artists')[1]?.['filter']).to.deep.equal({ _id: { $in: ['bad'] } });
      await mongo.db
        .collection('artists')
        .updateOne({ id: 'art_bad' }, { $set: { country_code: 'ID' } });
      const { artists, faults } = await source.load();
      expect(artists.find(({ artist }) => artist.id === 'art_bad')?.artist.countryCode).to.equal(
        'ID',
      );
      expect(faults.map(({ event }) => event)).to.deep.equal([
        'content changed without a newer updated_at',
      ]);
    });
  });

  describe('histories', () => {
    const artist = buildArtist({ id: 'art_4jt8re', updatedAt: 1 });
    const open = () => createMongoHistory(mongo.db, { timeoutMs: 5_000, log: createMemoryLog() });

    beforeEach(() => insertDocuments(mongo.db, fixtures));

    it('are read once for simultaneous calls', async () => {
      const histories = open();
      const [first, second] = await Promise.all([histories.read(artist), histories.read(artist)]);
      expect(first).to.equal(second);
      expect(findsIn('history')).to.have.length(1);
    });

    it('leave out an invalid series and log it', async () => {
      const log = createMemoryLog();
      const bad = { _id: 'bad', artist_id: artist.id, metric: 'nonsense', points: [] };
      await mongo.db.collection('history').insertMany([toBson(bad)]);
      const { series } = await createMongoHistory(mongo.db, { timeoutMs: 5_000, log }).read(artist);
      expect(series.length).to.be.greaterThan(0);
      expect(log.entries).to.have.length(1);
      expect(log.entries[0]?.facts).to.include({ collection: 'history', document: 'bad' });
    });
  });

  describe('keys', () => {
    it('exclude demo keys and report them without their text', async () => {
      await insertDocuments(mongo.db, fixtures);
      const [demo = {}] = fixtures.api_keys;
      await mongo.db.collection<StoredDocument>('api_keys').deleteMany({});
      await mongo.db.collection<StoredDocument>('api_keys').insertOne(toBson(demo));
      const { keys, unreadable, faults } = await createMongoKeys(mongo.db, formNames).load();
      expect([keys, unreadable]).to.deep.equal([[], []]);
      expect(faults).to.have.length(1);
      expect(JSON.stringify(faults)).not.to.include(String(demo['demo_key']));
    });

    it('are only compared by a load, and read as well when a byte of them has changed', async () => {
      await insertDocuments(mongo.db, fixtures);
      const source = createMongoKeys(mongo.db, formNames);
      const finds = async (): Promise<number> => {
        const before = findsIn('api_keys').length;
        await source.load();
        return findsIn('api_keys').length - before;
      };
      expect([await finds(), await finds()]).to.deep.equal([1, 1]);
      await mongo.db.collection('api_keys').updateMany({}, { $set: { warning: 'not read' } });
      expect([await finds(), await finds()]).to.deep.equal([2, 1]);
    });

    it('without a known organization are reported', async () => {
      await insertDocuments(mongo.db, { api_keys: fixtures.api_keys.slice(0, 1) });
      const { faults } = await createMongoKeys(mongo.db, formNames).load();
      expect(JSON.stringify(faults)).to.include('there is no organization');
    });
  });

  describe('indexes', () => {
    it('are all missing until they are created, also in an empty database, and may be created repeatedly', async () => {
      const { check, needed, create } = createMongoIndexes(mongo.db);
      expect(needed).to.have.length(15);
      expect(await check()).to.deep.equal({ missing: needed, obstacles: [] });
      await insertDocuments(mongo.db, fixtures);
      expect(await check()).to.deep.equal({ missing: needed, obstacles: [] });
      for (let times = 0; times < 2; times += 1) await create();
      expect(await check()).to.deep.equal({ missing: [], obstacles: [] });
    });

    it('made by hand serve whatever their name, if they hold the same', async () => {
      await mongo.db.collection('artists').createIndex({ id: 1 }, { name: 'mine', unique: true });
      await mongo.db.collection('labels').createIndex({ name: 1 }, { unique: true });
      const { check, create } = createMongoIndexes(mongo.db);
      const { missing, obstacles } = await check();
      expect(missing).to.not.include.members(['artists.stable_id', 'labels.name']);
      expect(obstacles).to.deep.equal([]);
      await create();
      expect(await check()).to.deep.equal({ missing: [], obstacles: [] });
    });
  });

  it('reads from the primary only: a secondary may lag, and would take back a revocation', () => {
    expect(mongo.db.client.options.readPreference.mode).to.equal('primary');
  });

  it("never uses the driver's timeoutMS, which does not bound a read", () => {
    const folder = new URL('../../adapters/stores/mongodb/', import.meta.url);
    const files = readdirSync(folder);
    expect(files.length).to.be.greaterThan(3);
    for (const file of files) {
      const code = readFileSync(new URL(file, folder), 'utf8').replaceAll(
        /\/\*[\s\S]*?\*\/|\/\/.*/g,
        '',
      );
      expect(code, file).not.to.match(/\btimeoutM(S|ode)\b/);
    }
  });
});
