import { expect } from 'chai';
import { createMongoIndexes } from '../../adapters/stores/mongodb/indexes.ts';
import { fixtureFolder } from '../../src/runtime/config.ts';
import { importedAt, importHere } from '../support/cli/import-here.ts';
import { artistDocuments, seriesDocuments, useInputFolder } from '../support/cli/input-folder.ts';
import { useOperatorEnvironment } from '../support/cli/operator-environment.ts';

const noCounts = { created: 0, changed: 0, touched: 0, unchanged: 0, removed: 0 };
const asWritten = new Date('2026-08-22T00:00:00Z');

describe('catalogue import: plan and writes', function () {
  this.timeout(30_000);
  const world = useOperatorEnvironment();
  const folder = useInputFolder(true);
  const stored = (collection: string) => world.db.collection(collection).find({}).toArray();
  const storedArtist = (id: string) => world.db.collection('artists').findOne({ id });
  const importAll = (options?: { prune: boolean }) => importHere(world.database.documents, [folder.path], options);

  before(() => createMongoIndexes(world.db).create());
  beforeEach(async () => {
    for (const name of ['artists', 'history', 'labels']) await world.db.collection(name).deleteMany({});
    await folder.write('artists', artistDocuments(3));
    await folder.write('history', seriesDocuments(3));
    await importAll();
  });
  it('imports the example catalogue, keeps unknown members, and stores instants as dates', async () => {
    const first = await importHere(world.database.documents, [fixtureFolder]);
    expect(first).to.deep.include({ artists: { ...noCounts, created: 12 }, labels: { ...noCounts, created: 5 } });
    const again = await importHere(world.database.documents, [fixtureFolder]);
    expect(again).to.deep.include({ artists: { ...noCounts, unchanged: 12 }, labels: { ...noCounts, unchanged: 5 } });
    expect(JSON.stringify(await stored('artists'))).to.include('INTERNAL-ONLY');
    for (const { updated_at } of await stored('artists')) expect(updated_at).to.be.instanceOf(Date);
  });

  it('changes artists that differ, and moves `updated_at` forward when the file does not', async () => {
    const [first = {}, ...rest] = artistDocuments(3);
    await folder.write('artists', [{ ...first, name: 'Renamed', crm: { owner: 'eve' } }, ...rest]);
    expect(await importAll()).to.deep.include({ artists: { ...noCounts, changed: 1, unchanged: 2 } });
    const artist = await storedArtist('art_0001');
    expect(artist).to.deep.include({ _id: 'doc0001', name: 'Renamed', crm: { owner: 'eve' } });
    expect(artist?.['updated_at']).to.deep.equal(new Date(importedAt));
    expect(await importAll()).to.deep.include({ artists: { ...noCounts, unchanged: 3 } });
  });

  const moves: readonly (readonly [what: string, given: string, stored: string, expected: string, count: object])[] = [
    [
      'takes an `updated_at` of the file that is later',
      '2026-08-22T08:00:00+02:00',
      '2026-08-22T00:00:00Z',
      '2026-08-22T06:00:00.000Z',
      { changed: 1 },
    ],
    [
      'ignores an earlier one, which an import may have moved',
      '2026-08-22T00:00:00Z',
      '2026-08-24T00:00:00Z',
      '2026-08-24T00:00:00.000Z',
      { unchanged: 1 },
    ],
  ];
  for (const [what, given, before, expected, count] of moves) {
    it(`${what}, when nothing else differs`, async () => {
      const [first = {}] = artistDocuments(1);
      await world.db.collection('artists').updateOne({ id: 'art_0001' }, { $set: { updated_at: new Date(before) } });
      const file = await folder.write('artists-1', [
        Object.fromEntries(Object.entries({ ...first, updated_at: given }).reverse()),
      ]);
      expect(await importHere(world.database.documents, [file])).to.deep.include({
        artists: { ...noCounts, ...count },
      });
      expect((await storedArtist('art_0001'))?.['updated_at']).to.deep.equal(new Date(expected));
    });
  }

  it('moves `updated_at` forward even when the stored one is ahead of the clock', async () => {
    const ahead = new Date(importedAt + 5);
    await world.db.collection('artists').updateOne({ id: 'art_0001' }, { $set: { updated_at: ahead } });
    const [first = {}] = artistDocuments(1);
    await importHere(world.database.documents, [await folder.write('artists-1', [{ ...first, name: 'Renamed' }])]);
    expect((await storedArtist('art_0001'))?.['updated_at']).to.deep.equal(new Date(importedAt + 7));
  });

  it('touches only artists whose series changed', async () => {
    const [changed = {}, ...rest] = seriesDocuments(3);
    await folder.write('history', [{ ...changed, points: [{ date: '2026-08-01', value: 7 }] }, ...rest]);
    expect(await importAll()).to.deep.include({
      artists: { ...noCounts, touched: 1, unchanged: 2 },
      series: { ...noCounts, changed: 1, unchanged: 5 },
    });
    const [touched, other] = [await storedArtist('art_0001'), await storedArtist('art_0002')];
    expect(touched?.['updated_at']).to.deep.equal(new Date(importedAt));
    expect(touched).not.to.have.property('series_unfinished');
    expect(other?.['updated_at']).to.deep.equal(asWritten);
    expect(await importAll()).to.deep.include({ artists: { ...noCounts, unchanged: 3 } });
  });

  it('imports series without artists when the artists are stored', async () => {
    const file = await folder.write('history-august', seriesDocuments(2, { add: 1 }));
    expect(await importHere(world.database.documents, [file])).to.deep.include({
      artists: { ...noCounts, touched: 2 },
      series: { ...noCounts, changed: 4 },
    });
  });

  it('refuses series without artist or song and duplicate keys, and writes nothing', async () => {
    const [first = {}, second = {}] = artistDocuments(2);
    const [series = {}, songSeries = {}] = seriesDocuments(1);
    const orphaned = [
      { ...series, artist_id: 'nobody' },
      { ...songSeries, song_id: 'none' },
    ];
    const result = await importHere(world.database.documents, [
      await folder.write('artists-2', [{ ...first, name: 'Renamed' }, { ...second, _id: 'another' }, first]),
      await folder.write('history-2', [...orphaned, series, series]),
    ]);
    const refused = 'refused' in result ? result.refused.map(({ line, path }) => `${line} ${path}`) : [];
    expect(refused).to.have.members(['3 id', '3 _id', '4 metric', '1 artist_id', '2 song_id']);
    expect(await storedArtist('art_0001')).to.include({ name: 'Artist 0001' });
  });

  it('refuses an artist whose pair of ids differs from the stored pair', async () => {
    const [first = {}, second = {}] = artistDocuments(2);
    const file = await folder.write('artists', [
      { ...first, id: 'art_9' },
      { ...second, _id: 'another' },
    ]);
    const at = (line: number) => ({ file, line, column: 1, name: `Artist 000${line}` });
    expect(await importHere(world.database.documents, [file])).to.deep.equal({
      refused: [
        { ...at(1), id: 'art_9', path: 'id', message: 'doc0001 is stored with the id art_0001: give it that one' },
        { ...at(2), id: 'art_0002', path: '_id', message: 'art_0002 is stored with the _id doc0002: give it that one' },
      ],
    });
  });

  describe('with --prune', () => {
    it('removes stored documents that the input no longer has, and touches artists that lost a series', async () => {
      await folder.write('artists', artistDocuments(2));
      await folder.write('history', seriesDocuments(2).slice(1));
      expect(await importAll({ prune: true })).to.deep.include({
        artists: { ...noCounts, touched: 1, unchanged: 1, removed: 1 },
        series: { ...noCounts, unchanged: 3, removed: 3 },
      });
      expect((await stored('artists')).map(({ id }) => id)).to.have.members(['art_0001', 'art_0002']);
      expect(await stored('history')).to.have.length(3);
      expect(await importAll({ prune: true })).to.deep.include({ artists: { ...noCounts, unchanged: 2 } });
    });

    it('keeps collections that the input has no file for', async () => {
      const file = await folder.write('artists', artistDocuments(3));
      await importHere(world.database.documents, [file], { prune: true });
      expect(await stored('history')).to.have.length(6);
    });

    it('refuses series of an artist that it removes', async () => {
      await folder.write('artists', artistDocuments(2));
      const result = await importAll({ prune: true });
      expect(result).to.have.nested.property('refused.length', 2);
    });

    it('rejects an input without artists, and removes none', async () => {
      const file = await folder.writeText('artists.json', '[]');
      const refused = await importHere(world.database.documents, [file], { prune: true }).catch(
        (error: Error) => error.message,
      );
      expect(refused).to.match(/has no artist/);
      expect(await stored('artists')).to.have.length(3);
    });
  });
});
