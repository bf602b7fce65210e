import { expect } from 'chai';
import { createMongoCatalogue } from '../../adapters/stores/mongodb/catalogue.ts';
import { createMongoDocuments } from '../../adapters/stores/mongodb/documents.ts';
import { createConfirmations } from '../../adapters/stores/mongodb/empty-collections.ts';
import { createMongoHistory } from '../../adapters/stores/mongodb/histories.ts';
import { identityOf } from '../../src/catalogue/snapshot.ts';
import type { CatalogueSource, HistorySource } from '../../src/ports.ts';
import { catchError } from '../support/catch-error.ts';
import { importHere } from '../support/cli/import-here.ts';
import { useInputFolder } from '../support/cli/input-folder.ts';
import { insertDocuments, readFixtures } from '../support/documents.ts';
import { createMemoryLog } from '../support/log.ts';
import { useMongo } from '../support/stores/mongo-database.ts';

describe('a collection of MongoDB that is suddenly empty', () => {
  const fixtures = readFixtures();
  const mongo = useMongo();
  const folder = useInputFolder(true);
  let source: CatalogueSource;
  let histories: HistorySource;

  beforeEach(async () => {
    const confirmations = createConfirmations();
    source = createMongoCatalogue(mongo.db, confirmations);
    histories = createMongoHistory(mongo.db, {
      timeoutMs: 5_000,
      log: createMemoryLog(),
      confirmations,
    });
    await insertDocuments(mongo.db, fixtures);
    await source.load();
  });

  const importEmpty = async (collection: string) => {
    await folder.write(collection, []);
    return importHere(createMongoDocuments(mongo.db), [folder.path], { prune: true });
  };
  const lossOf = async () =>
    (await source.load()).faults.map(({ event, collection }) => `${event}: ${collection}`);

  it('is believed once an import with --prune confirms a loss that has happened before', async () => {
    await mongo.db.collection('labels').deleteMany({});
    expect(await lossOf()).to.deep.equal(['collection empty, serving the last copy: labels']);
    await importEmpty('labels');
    expect(await lossOf()).to.deep.equal([]);
  });

  it('is believed once an import with --prune has removed the documents, and not again after they have come back', async () => {
    await importEmpty('labels');
    expect((await source.load()).labels).to.deep.equal([]);
    expect(await lossOf()).to.deep.equal([]);
    await insertDocuments(mongo.db, fixtures);
    const { labels } = await source.load();
    await mongo.db.collection('labels').deleteMany({});
    expect((await source.load()).labels).to.deep.equal(labels);
    expect(await lossOf()).to.deep.equal(['collection empty, serving the last copy: labels']);
  });

  it('is not believed when the whole database is lost, or comes back from a backup with an older confirmation', async () => {
    await importEmpty('labels');
    await insertDocuments(mongo.db, fixtures);
    const { labels } = await source.load();
    const confirmations = mongo.db.collection<{ _id: string }>('catalogue_confirmations');
    await mongo.db.collection('labels').deleteMany({});
    for (const older of [[], [{ _id: 'labels', emptied_at: new Date('2026-01-01') }]]) {
      await confirmations.deleteMany({});
      if (older.length > 0) await confirmations.insertMany(older);
      expect((await source.load()).labels).to.deep.equal(labels);
      expect(await lossOf()).to.deep.equal(['collection empty, serving the last copy: labels']);
    }
  });

  it('makes histories unavailable while the artists are gone: a restore brings their series back one by one', async () => {
    const { artists } = await source.load();
    const [first, other] = artists.filter(({ recent }) => recent.length > 0);
    if (first === undefined || other === undefined) throw new Error('Two artists have series.');
    for (const name of ['artists', 'history']) await mongo.db.collection(name).deleteMany({});
    const restored = fixtures.history.filter(
      ({ artist_id }) => artist_id === other.artist.id,
    ) as object[];
    await mongo.db.collection('history').insertMany(restored.slice(0, 1));
    await source.load();
    for (const { artist } of [first, other])
      expect(String(await catchError(() => histories.read(artist)))).to.include(
        'the collection artists is empty',
      );
    await insertDocuments(mongo.db, fixtures);
    for (const { artist } of [first, other])
      expect((await histories.read(artist)).series.length).to.be.greaterThan(0);
  });

  it('makes histories unavailable instead of empty, until an import confirms it', async () => {
    const { artists } = await source.load();
    const listed = artists.find(({ recent }) => recent.length > 0);
    if (listed === undefined) throw new Error('The example catalogue has no series.');
    await mongo.db.collection('history').deleteMany({});
    await mongo.db
      .collection('artists')
      .updateMany({}, { $set: { updated_at: new Date('2026-08-22T11:59:00Z') } });
    const kept = (await source.load()).artists.find(({ artist }) => artist.id === listed.artist.id);
    expect(kept?.recent).to.deep.equal(listed.recent);
    expect(String(await catchError(() => histories.read(listed.artist)))).to.include(
      'the collection history is empty',
    );
    await importEmpty('history');
    const emptied = (await source.load()).artists.find(
      ({ artist }) => artist.id === listed.artist.id,
    );
    expect(emptied?.recent).to.deep.equal([]);
    expect((await histories.read(listed.artist)).series).to.deep.equal([]);
    expect(await lossOf()).to.deep.equal([]);
  });

  for (const isSeen of [true, false])
    it(`makes other tags and artists once it is confirmed, so that no kept history is served${isSeen ? '' : ', also when it was emptied since the last refresh'}`, async () => {
      const before = (await source.load()).artists;
      await mongo.db.collection('history').deleteMany({});
      if (isSeen)
        expect((await source.load()).artists.map(identityOf)).to.deep.equal(before.map(identityOf));
      await importEmpty('history');
      const { artists, faults } = await source.load();
      expect(artists).to.have.length(before.length);
      expect(artists.flatMap(({ recent }) => recent)).to.deep.equal([]);
      expect(faults).to.deep.equal([]);
      const identities = artists.map(identityOf);
      for (const listed of before) {
        expect(identities).not.to.include(identityOf(listed));
        expect(artists.map(({ artist }) => artist)).not.to.include(listed.artist);
      }
      const replica = await createMongoCatalogue(mongo.db).load();
      expect(replica.artists.map(identityOf)).to.deep.equal(identities);
      await insertDocuments(mongo.db, fixtures);
      expect((await source.load()).artists.map(identityOf)).to.deep.equal(identities);
    });

  it('is read with the artists again where both come back with other points and the same artists', async () => {
    const [series] = fixtures.history.filter(({ song_id }) => song_id === undefined);
    const daysNow = async () =>
      (await source.load()).artists
        .find(({ artist }) => artist.id === series?.['artist_id'])
        ?.recent.flatMap(({ days }) => days);
    const before = await daysNow();
    for (const name of ['artists', 'history']) await mongo.db.collection(name).deleteMany({});
    expect(before).to.have.length.greaterThan(0);
    expect(await daysNow()).to.deep.equal(before);
    const others = fixtures.history.map((one) => ({ ...one, points: [] }));
    await insertDocuments(mongo.db, { ...fixtures, history: others });
    expect(await daysNow()).to.deep.equal([]);
  });

  it('is not asked about while it has documents: an artist without series has an empty history', async () => {
    const { artists } = await source.load();
    const [first] = artists;
    if (first === undefined) throw new Error('There is no artist.');
    expect(
      (await histories.read({ ...first.artist, id: 'art_without_series' })).series,
    ).to.deep.equal([]);
  });
});
