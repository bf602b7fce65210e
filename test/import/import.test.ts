import { expect } from 'chai';
import { createMongoIndexes } from '../../adapters/stores/mongodb/indexes.ts';
import { importedAt, importHere, noCounts } from '../support/cli/import-here.ts';
import {
  artistDocuments,
  type Document,
  seriesDocuments,
  useInputFolder,
} from '../support/cli/input-folder.ts';
import { useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import { rejectionOf } from '../support/wait.ts';

const asWritten = Date.parse('2026-08-22T00:00:00Z');

describe('catalogue import: plan and writes', () => {
  const world = useOperatorEnvironment();
  const folder = useInputFolder(true);
  const stored = (collection: string) => world.db.collection(collection).find({}).toArray();
  const storedArtist = (id: string) => world.db.collection('artists').findOne({ id });
  const importAll = (options?: { prune: boolean }) =>
    importHere(world.database.documents, [folder.path], options);

  before(() => createMongoIndexes(world.db).create());
  beforeEach(async () => {
    for (const name of ['artists', 'history', 'labels'])
      await world.db.collection(name).deleteMany({});
    await folder.write('artists', artistDocuments(3));
    await folder.write('history', seriesDocuments(3));
    await importAll();
  });

  const moves: readonly (readonly [
    what: string,
    given: object,
    stored: number,
    expected: number,
    count: object,
  ])[] = [
    [
      'takes an `updated_at` of the file that is later, when nothing else differs',
      { updated_at: '2026-08-22T08:00:00+02:00' },
      asWritten,
      Date.parse('2026-08-22T06:00:00Z'),
      { changed: 1 },
    ],
    [
      'ignores an earlier one, which an import may have moved, when nothing else differs',
      { updated_at: '2026-08-22T00:00:00Z' },
      importedAt,
      importedAt,
      { unchanged: 1 },
    ],
    [
      'moves `updated_at` forward even when the stored one is ahead of the clock',
      { name: 'Renamed', crm: { owner: 'eve' } },
      importedAt + 5,
      importedAt + 7,
      { changed: 1 },
    ],
  ];
  for (const [what, given, before, expected, count] of moves) {
    it(what, async () => {
      const [first = {}] = artistDocuments(1);
      await world.db
        .collection('artists')
        .updateOne({ id: 'art_0001' }, { $set: { updated_at: new Date(before) } });
      const reordered = Object.fromEntries(Object.entries({ ...first, ...given }).reverse());
      const result = await importHere(world.database.documents, [
        await folder.write('artists-1', [reordered]),
      ]);
      expect(result).to.deep.include({ artists: { ...noCounts, kept: 2, ...count } });
      expect(await storedArtist('art_0001')).to.deep.include({
        ...given,
        updated_at: new Date(expected),
      });
    });
  }

  it('refuses series without artist or song and duplicate keys, and writes nothing', async () => {
    const [first = {}, second = {}] = artistDocuments(2);
    const [series = {}, songSeries = {}] = seriesDocuments(1);
    const result = await importHere(world.database.documents, [
      await folder.write('artists-2', [
        { ...first, name: 'Renamed', songs: [] },
        { ...second, _id: 'another' },
        first,
        { ...first, id: 'refused', name: 7 },
        { ...first, name: 7 }, // is valid above: its series are checked
      ]),
      await folder.write('history-2', [
        { ...series, artist_id: 'nobody' },
        songSeries,
        series,
        series,
        { ...series, artist_id: 'refused' }, // is not refused as well
      ]),
    ]);
    const mistakes = 'refused' in result ? result.refused : [];
    expect(mistakes.find(({ path }) => path === 'metric')?.message).to.match(
      /^monthly_listeners is already in .+ line 3: join their points, or import the documents one by one$/,
    );
    expect(mistakes.map(({ line, path }) => `${line} ${path}`)).to.have.members([
      '2 _id',
      '3 id',
      '3 _id',
      '4 name',
      '5 name',
      '4 metric',
      '1 artist_id',
      '2 song_id',
    ]);
    expect(await storedArtist('art_0001')).to.include({ name: 'Artist 0001' });
  });

  it('refuses an artist whose pair of ids differs from the stored pair', async () => {
    const [first = {}, second = {}] = artistDocuments(2);
    const file = await folder.write('artists', [
      { ...first, id: 'art_9' },
      { ...second, _id: 'another' },
    ]);
    const at = (line: number) => ({ file, line, name: `Artist 000${line}` });
    expect(await importHere(world.database.documents, [file])).to.deep.equal({
      refused: [
        {
          ...at(1),
          id: 'art_9',
          path: 'id',
          message: 'doc0001 is stored with the id art_0001: use that one',
        },
        {
          ...at(2),
          id: 'art_0002',
          path: '_id',
          message: 'art_0002 is stored with the _id doc0002: use that one',
        },
      ],
    });
  });

  it('stops when somebody else has changed an artist since it was compared, and completes when it is run again', async () => {
    await folder.write('artists', artistDocuments(3, { name: 'Renamed' }));
    const { documents } = world.database;
    const update: typeof documents.update = async (...given) => {
      await world.db
        .collection('artists')
        .updateOne({ id: 'art_0001' }, { $set: { updated_at: new Date(importedAt) } });
      return documents.update(...given);
    };
    expect(await rejectionOf(importHere({ ...documents, update }, [folder.path]))).to.equal(
      'Stored documents were changed by somebody else meanwhile: this import stopped. Run it again.',
    );
    await importAll();
    expect(await stored('artists')).to.satisfy((all: Document[]) =>
      all.every(({ name }) => name === 'Renamed'),
    );
  });

  it('removes nothing with `--prune` when the input has no artist', async () => {
    for (const name of ['artists', 'history']) await folder.write(name, []);
    expect(await rejectionOf(importAll({ prune: true }))).to.equal(
      'The input has no artists, and --prune would remove all stored ones: nothing was written.',
    );
    expect(await stored('artists')).to.have.length(3);
  });
});
