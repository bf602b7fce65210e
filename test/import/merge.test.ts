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

const [artist = {}, second = {}, third = {}] = artistDocuments(3);
const [series = {}] = seriesDocuments(1);
const points = (...days: readonly (readonly [day: number, value: number])[]) => ({
  points: days.map(([day, value]) => ({ date: `2026-08-0${day}`, value })),
});
const song = { id: 'sng_0001', name: 'Song', metrics: {} };
const ownPoint = (value: number) => ({ date: '2026-08-01', value, source: 'a person' });

// What files and store make together in general: law.test.ts.
describe('an import over stored documents', () => {
  const world = useOperatorEnvironment();
  const folder = useInputFolder(true);
  before(() => createMongoIndexes(world.db).create());
  beforeEach(async () => {
    for (const name of ['artists', 'history', 'labels', 'import_log', 'catalogue_confirmations'])
      await world.db.collection(name).deleteMany({});
  });
  const importOnly = async (name: string, documents: readonly Document[], prune = false) =>
    importHere(world.database.documents, [await folder.write(name, documents)], { prune });
  const storedIn = async (name: string): Promise<Document> =>
    (await world.db.collection(name).findOne({}, { sort: { _id: 1 } })) ?? {};
  /** Stores an artist with its song, another document, and what somebody else stores in it. */
  const begin = async (name: string, given: Document, kept: Document = {}): Promise<void> => {
    await importOnly('artists', [artist]);
    await importOnly(name, [given]);
    if (Object.keys(kept).length > 0) await world.db.collection(name).updateOne({}, { $set: kept });
  };

  const merges: readonly (readonly [
    what: string,
    collection: 'artists' | 'history',
    before: Document,
    kept: Document,
    given: Document,
    expected: Document,
    pruned: Document,
  ])[] = [
    [
      'keeps own fields next to fields that the input lacks',
      'artists',
      { ...artist, tier: 'watch', editorial: { scouting_report: 'Loud.' } },
      {
        'editorial.draft_by': 'eve',
        'metrics.shazams': 7,
        songs: [{ ...song, rights: { p_line: '℗ Tidemark', cleared_by: 'bob' } }],
      },
      { ...artist, metrics: {} },
      {
        tier: undefined,
        editorial: { draft_by: 'eve' },
        metrics: { shazams: 7 },
        songs: [{ ...song, rights: { cleared_by: 'bob' } }],
      },
      { tier: undefined, editorial: undefined, metrics: {}, songs: [song] },
    ],
    [
      'takes the songs of the input, with own fields of the same song',
      'artists',
      artist,
      { songs: [{ ...song, mood: 'sad' }, { id: 'gone' }] },
      { ...artist, songs: [{ ...song, id: 'new' }, song] },
      {
        songs: [
          { ...song, id: 'new' },
          { ...song, mood: 'sad' },
        ],
      },
      { songs: [{ ...song, id: 'new' }, song] },
    ],
    [
      'keeps days that the input lacks, in order, and own fields of days in both',
      'history',
      series,
      { points: [ownPoint(1), ...points([3, 3], [5, 5]).points] },
      { ...series, ...points([1, 10], [2, 2], [5, 5]) },
      { points: [ownPoint(10), ...points([2, 2], [3, 3], [5, 5]).points] },
      points([1, 10], [2, 2], [5, 5]),
    ],
    [
      'keeps the later `updated_at` of a series',
      'history',
      { ...series, updated_at: '2026-08-22T00:00:00Z' },
      { team: 'charts' },
      { ...series, ...points([9, 9]), updated_at: '2026-08-02T00:00:00Z' },
      { team: 'charts', updated_at: new Date('2026-08-22T00:00:00Z') },
      { team: undefined, updated_at: new Date('2026-08-22T00:00:00Z') },
    ],
  ];
  for (const [what, collection, first, kept, given, ...expected] of merges)
    for (const [index, members] of expected.entries())
      it(`${what}${index === 0 ? '' : '; --prune removes them'}`, async () => {
        await begin(collection, first, kept);
        await importOnly(collection, [given], index === 1);
        const stored = await storedIn(collection);
        for (const [name, value] of Object.entries(members))
          expect(stored[name], name).to.deep.equal(value);
      });

  it('compares a label with the first of its name, and --prune removes the others', async () => {
    const labels = world.collection('labels');
    await labels.insertMany(['a', 'b'].map((_id) => ({ _id, name: 'Tidemark', aliases: [_id] })));
    const aliases = async () =>
      (await labels.find({}, { sort: { _id: 1 } }).toArray()).flatMap((one) => one['aliases']);
    for (const [prune, counts, ...expected] of [
      [false, { changed: 1, kept: 1 }, 'TM', 'b'],
      [true, { unchanged: 1, removed: 1 }, 'TM'],
    ] as const) {
      const result = await importOnly('labels', [{ name: 'Tidemark', aliases: ['TM'] }], prune);
      expect(result).to.deep.include({ labels: { ...noCounts, ...counts } });
      expect(await aliases()).to.deep.equal(expected);
    }
  });

  it('prints in words what it adds, changes and keeps, and what --prune removes', async () => {
    await folder.write('artists', artistDocuments(3));
    await folder.write('history', seriesDocuments(3, { points: 5 }));
    await folder.write('labels', [{ name: 'Tidemark', aliases: [] }]);
    await importHere(world.database.documents, [folder.path]);
    await world.db.collection('artists').updateMany({}, { $set: { owner: 'eve' } });
    await folder.write('artists', artistDocuments(2, { songs: [] }));
    await folder.write('history', [{ ...series, ...points([1, 7], [9, 9]) }]);
    await folder.write('labels', []);
    const run = async (...options: string[]) =>
      (await world.run('catalogue', 'import', folder.path, ...options)).stderr;
    expect(await run('--dry-run')).to.match(
      /Dry run, nothing was written\. An import now: changed 2 artists and 2 days of 1 series; kept 1 artist, 5 series \(2 of an artist or a song that is gone\), 4 days, 2 members and 1 label that the input does not have\.\n$/,
    );
    const most = ['--prune-at-most', '5'];
    expect(await run(...most)).to.include(
      'Remove 1 artist, 5 series (2 of an artist or a song that is gone), 4 days, 2 members and 1 label that the input no longer has?',
    );
    expect(await run('--yes', ...most)).to.match(
      /: changed 2 artists and 2 days of 1 series; removed 1 artist, 5 series .+ and 1 label\.\n$/,
    );
    expect(await world.db.collection('history').countDocuments({})).to.equal(1);
  });

  const refusedIn = async (name: string, ...documents: readonly Document[]) => {
    const result = await importOnly(name, documents);
    return 'refused' in result ? result.refused.map((one) => `${one.path} ${one.message}`) : [];
  };

  it('rejects other pairs of ids than stored, and series without artist or song', async () => {
    await importOnly('artists', [artist, second]);
    expect(
      await refusedIn('artists', { ...artist, id: 'art_9' }, { ...second, _id: 'another' }),
    ).to.deep.equal([
      'id doc0001 is stored with the id art_0001: use that one',
      '_id art_0002 is stored with the _id doc0002: use that one',
    ]);
    const ofSong = { ...series, metric: 'streams', song_id: 'gone' };
    expect(await refusedIn('history', { ...series, artist_id: 'unknown' }, ofSong)).to.deep.equal([
      'artist_id no valid artist has the id unknown',
      'song_id the artist art_0001 has no song gone',
    ]);
  });

  it('rejects a document that would exceed 8 MB, with its size', async () => {
    const long = 'x'.repeat(5 * 2 ** 20);
    await begin('artists', artist, { crm: { first: long } });
    expect(await refusedIn('artists', { ...artist, crm: { second: long } })).to.deep.equal([
      'document would have 10.0 MB with what is stored; a document may have 8 MB',
    ]);
    expect(await storedIn('artists')).to.not.have.nested.property('crm.second');
  });

  const updatedAt = async () => Number((await storedIn('artists'))['updated_at']);
  const written = Date.parse('2026-08-22T00:00:00Z');

  it('moves `updated_at` forward only, to a later one of the input', async () => {
    for (const [given, was, expected] of [
      [{ updated_at: '2026-08-22T08:00:00+02:00' }, written, written + 6 * 3_600_000],
      [{}, importedAt, importedAt],
      [{ name: 'Renamed' }, importedAt + 5, importedAt + 7],
    ] as const) {
      await begin('artists', artist, { updated_at: new Date(was) });
      await importOnly('artists', [{ ...artist, ...given }]);
      expect(await updatedAt()).to.equal(expected);
      await world.db.collection('artists').deleteMany({});
    }
  });

  it('keeps `updated_at` of the input only in a database that never had an artist', async () => {
    await importOnly('artists', [artist]);
    expect(await updatedAt()).to.equal(written);
    await importOnly('history', [series]);
    await world.db.collection('artists').deleteMany({});
    await importOnly('artists', [{ ...artist, name: 'Corrected' }]);
    expect(await updatedAt(), 'not the tag of the earlier content').to.equal(importedAt);
  });

  it('stores times in `_at` fields as dates, and no `_id` of a label', async () => {
    const crm = { seen_at: '2026-08-22T02:00:00+02:00', called_at: 'tomorrow' };
    await importOnly('artists', [{ ...artist, crm }]);
    expect((await storedIn('artists'))['crm']).to.deep.equal({
      ...{ seen_at: new Date(written), called_at: 'tomorrow' },
    });
    await importOnly('labels', [{ _id: 'L1', name: 'Tidemark', aliases: [] }]);
    expect((await storedIn('labels'))['_id']).to.not.equal('L1');
  });

  it('confirms an empty collection with `--prune`, but never removes all artists', async () => {
    await importOnly('artists', [artist]);
    await importOnly('history', [], true);
    expect(await storedIn('catalogue_confirmations')).to.deep.equal({
      ...{ _id: 'history', emptied_at: new Date(importedAt) },
    });
    await importOnly('artists', []);
    const reason = await rejectionOf(importOnly('artists', [], true));
    expect(reason).to.match(/^The input has no artists, and --prune would remove all stored ones/);
  });

  it('warns of values that are probably wrong', async () => {
    await begin('artists', artist);
    await importOnly('history', [{ ...series, ...points([1, 50], [2, 60]) }]);
    const date_added = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    await folder.write('artists', [
      { ...artist, name: '  ', updated_at: '2026-07-01T00:00:00Z', date_added: '2062-01-01' },
      { ...second, date_added },
      { ...third, date_added: '2026-01-01' },
    ]);
    const jump = points([1, 10_000], [2, 20], [3, 700], [4, 2_000]);
    await folder.write('history', [
      { ...series, ...points([3, 60_000]) },
      { ...series, artist_id: 'art_0002', ...jump },
    ]);
    const { warnings } = await world.json<{ warnings: readonly Document[] }>(
      ...['catalogue', 'import', folder.path, '--dry-run'],
    );
    const found = warnings.map(({ id, member, reason }) =>
      `${id} ${member} ${reason}`.replace(/after 20[\d-]+, more .*/, 'in the future'),
    );
    expect(found).to.have.members([
      'art_0001 date_added is a day in the future',
      'art_0001 name has nothing but blanks',
      'art_0002 points on 2026-08-01 is at least 100 times its neighbours',
      'art_0001 points on 2026-08-03 is at least 100 times its neighbours',
      'art_0003 date_added is before yesterday, or missing, in a new artist: polls by date_added will not find it',
      'art_0001 updated_at is older than in the stored artist, which this document replaces',
      'undefined document there are none, in the input or stored: no label will be detected',
    ]);
  });
});
