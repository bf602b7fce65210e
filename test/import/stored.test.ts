import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { importedAt, importHere, noCounts } from '../support/cli/import-here.ts';
import { artistDocuments, seriesDocuments, useInputFolder } from '../support/cli/input-folder.ts';
import { useOperatorEnvironment } from '../support/cli/operator-environment.ts';

describe('what an import stores', () => {
  const world = useOperatorEnvironment({}, true);
  const folder = useInputFolder(true);
  const importFolder = (prune = false) =>
    importHere(world.database.documents, [folder.path], { prune });
  const count = (name: string) => world.db.collection(name).countDocuments({});

  it('has no `_id` that a file gives a series or a label: equal ones and moved ones are imported', async () => {
    await folder.write('artists', artistDocuments(2));
    await folder.write(
      'history',
      seriesDocuments(2).map((series) => ({ ...series, _id: 'same' })),
    );
    await folder.write('labels', [{ _id: 'L1', name: 'Former', aliases: [] }]);
    await importFolder();
    await folder.write(
      'history',
      seriesDocuments(2, { add: 1 }).map((series, index) => ({ ...series, _id: `S${3 - index}` })),
    );
    await folder.write('labels', [{ _id: 'L1', name: 'Renamed', aliases: [] }]);
    expect(await importFolder(true)).to.deep.include({
      series: { ...noCounts, changed: 4 },
      labels: { ...noCounts, created: 1, removed: 1 },
    });
    expect([await count('history'), await count('labels')]).to.deep.equal([4, 1]);
    expect(
      await world.db.collection('artists').countDocuments({ series_unfinished: true }),
    ).to.equal(0);
  });

  it('has dates for the instants of members that end in `_at`, of new and of changed documents, and every other member as it is', async () => {
    const given = {
      date_added: '2026-08-22',
      freshness: { metrics: '2026-08-22T00:00:00Z' },
      crm: {
        seen_at: '2026-08-22T02:00:00+02:00',
        called_at: 'tomorrow',
        calls: [{ noted_at: '2026-01-26', note: null }],
      },
    };
    for (const name of ['First name', 'Second name']) {
      await folder.write('artists', artistDocuments(1, { ...given, name }));
      await importFolder();
      const [stored] = await world.db.collection('artists').find({}).toArray();
      expect(stored, name).to.deep.include({
        ...given,
        crm: { ...given.crm, seen_at: new Date('2026-08-22T00:00:00Z') },
      });
      expect(stored?.['updated_at'], name).to.be.an.instanceOf(Date);
    }
  });

  it('is all of a collection that takes more than one command', async () => {
    await folder.write(
      'labels',
      Array.from({ length: 401 }, (_, index) => ({ name: `Label ${index}`, aliases: [] })),
    );
    await importFolder();
    expect(await count('labels')).to.equal(401);
    expect(
      await count('catalogue_confirmations'),
      'of an empty history, which it has no file for',
    ).to.equal(0);
  });

  it('is unchanged where a database has an ObjectId and the file its digits', async () => {
    const _id = new ObjectId();
    await folder.write('artists', artistDocuments(1, { _id: _id.toHexString() }));
    const [artist] = artistDocuments(1);
    await world.db
      .collection('artists')
      .insertOne({ ...artist, _id, updated_at: new Date('2026-08-22') });
    expect(await importFolder()).to.have.nested.property('artists.unchanged', 1);
  });

  it('has a confirmation of each collection that `--prune` leaves without documents, made anew each time', async () => {
    const confirmations = world.db.collection('catalogue_confirmations');
    await folder.write('artists', artistDocuments(1));
    await folder.write('history', []);
    for (let times = 0; times < 2; times++) {
      await importFolder(true);
      const found = await confirmations.find({}).toArray();
      expect(found).to.deep.equal([{ _id: 'history', emptied_at: new Date(importedAt) }]);
      await confirmations.updateMany({}, { $set: { emptied_at: new Date(0) } });
    }
  });

  it('loses no series to `--prune` when the input has neither artists nor history', async () => {
    await folder.write('artists', artistDocuments(1));
    await folder.write('history', seriesDocuments(1));
    await importFolder();
    await world.db.collection('artists').deleteMany({});
    const labels = await folder.write('labels', [{ name: 'Tidemark', aliases: [] }]);
    await importHere(world.database.documents, [labels], { prune: true });
    expect(await count('history')).to.equal(2);
  });

  it('loses to `--prune` the series that a file of history no longer has, also of an artist that no file names', async () => {
    await folder.write('artists', artistDocuments(2));
    await folder.write('history', seriesDocuments(2));
    await importFolder();
    const history = await folder.write('history', seriesDocuments(1));
    const prune = () => importHere(world.database.documents, [history], { prune: true });
    const artists = world.db.collection('artists');
    expect(await prune()).to.have.nested.property('series.removed', 2);
    // As an import leaves it that is interrupted behind the removal.
    await artists.updateOne({ id: 'art_0002' }, { $set: { series_unfinished: true } });
    expect(await prune()).to.have.nested.property('artists.touched', 1);
    expect(await artists.countDocuments({ series_unfinished: true })).to.equal(0);
  });

  it('is an artist with a later instant when it comes back after it was removed', async () => {
    const [first, second] = artistDocuments(2);
    const write = (name: string) => folder.write('artists', [{ ...first, name }, second ?? {}]);
    await write('First name');
    await importFolder();
    await folder.write('artists', [second ?? {}]);
    await importFolder(true);
    await write('Second name');
    await importFolder();
    const stored = await world.db.collection('artists').findOne({ name: 'Second name' });
    expect(stored?.['updated_at']).to.deep.equal(new Date(importedAt));
  });
});
