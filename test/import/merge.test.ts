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

const [artist = {}] = artistDocuments(1);
const [series = {}] = seriesDocuments(1);

const points = (...days: readonly (readonly [day: number, value: number])[]): Document => ({
  points: days.map(([day, value]) => ({
    date: `2026-08-${String(day).padStart(2, '0')}`,
    value,
  })),
});

describe('an import over what is stored', () => {
  const world = useOperatorEnvironment();
  const folder = useInputFolder(true);
  before(() => createMongoIndexes(world.db).create());
  beforeEach(async () => {
    for (const name of ['artists', 'history', 'labels', 'import_log', 'catalogue_confirmations'])
      await world.db.collection(name).deleteMany({});
  });
  const importOnly = async (name: string, documents: readonly Document[], prune = false) =>
    importHere(world.database.documents, [await folder.write(name, documents)], { prune });
  const storedIn = async (name: string): Promise<Document> => {
    const [document = {}] = await world.db.collection(name).find({}).toArray();
    return document;
  };
  /** Stores an artist with its song, a series, a label, and what somebody else keeps in them. */
  const begin = async (
    name: string,
    given: Document,
    kept: Readonly<Record<string, unknown>> = {},
  ): Promise<void> => {
    await importOnly('artists', [artist]);
    await importOnly(name, [given]);
    await world.db.collection(name).updateOne({}, { $set: kept });
  };

  const merges: readonly (readonly [
    what: string,
    collection: 'artists' | 'history' | 'labels',
    before: Document,
    kept: Document,
    given: Document,
    expected: Document,
    pruned: Document,
  ])[] = [
    [
      'keeps a member that is no part of the format',
      'artists',
      artist,
      { owner: { name: 'eve' } },
      { ...artist, name: 'Renamed' },
      { name: 'Renamed', owner: { name: 'eve' } },
      { name: 'Renamed', owner: undefined },
    ],
    [
      'keeps one inside links and metrics, also where all others go',
      'artists',
      { ...artist, links: { spotify: 'https://a.example' } },
      { 'links.bandcamp': 'https://b.example', 'metrics.shazams': 7 },
      { ...artist, links: {}, metrics: {} },
      { links: { bandcamp: 'https://b.example' }, metrics: { shazams: 7 } },
      { links: {}, metrics: {} },
    ],
    [
      'removes a member of the format that the input does not have: unknown is absent',
      'artists',
      { ...artist, tier: 'watch', signing: { note: 'Secret.' } },
      {},
      artist,
      { tier: undefined, signing: {} },
      { tier: undefined, signing: {} },
    ],
    [
      'takes the list of songs as it is, and keeps what somebody keeps in a song',
      'artists',
      artist,
      { songs: [{ id: 'sng_0001', name: 'Song', metrics: {}, mood: 'sad' }, { id: 'gone' }] },
      {
        ...artist,
        songs: [
          { id: 'new', name: 'New', metrics: {} },
          { id: 'sng_0001', name: 'Renamed', metrics: {} },
        ],
      },
      {
        songs: [
          { id: 'new', name: 'New', metrics: {} },
          { id: 'sng_0001', name: 'Renamed', metrics: {}, mood: 'sad' },
        ],
      },
      {
        songs: [
          { id: 'new', name: 'New', metrics: {} },
          { id: 'sng_0001', name: 'Renamed', metrics: {} },
        ],
      },
    ],
    [
      'keeps one inside an object of the format that it does not have, of which the others go',
      'artists',
      { ...artist, editorial: { scouting_report: 'Loud.' } },
      {
        'editorial.draft_by': 'eve',
        songs: [
          {
            ...{ id: 'sng_0001', name: 'Song', metrics: {} },
            rights: { p_line: '℗ Tidemark', cleared_by: 'bob' },
          },
        ],
      },
      artist,
      {
        editorial: { draft_by: 'eve' },
        songs: [{ id: 'sng_0001', name: 'Song', metrics: {}, rights: { cleared_by: 'bob' } }],
      },
      { editorial: undefined, songs: artist['songs'] },
    ],
    [
      'keeps the days that it does not have, in order, and takes those that both have',
      'history',
      { ...series, ...points([1, 1], [3, 3], [5, 5]) },
      {
        points: [
          { date: '2026-08-01', value: 1, source: 'a person' },
          ...(points([3, 3], [5, 5])['points'] as Document[]),
        ],
      },
      { ...series, ...points([1, 10], [2, 2], [5, 5]) },
      {
        points: [
          { date: '2026-08-01', value: 10, source: 'a person' },
          ...(points([2, 2], [3, 3], [5, 5])['points'] as Document[]),
        ],
      },
      points([1, 10], [2, 2], [5, 5]),
    ],
    [
      'keeps the later instant of change of a series',
      'history',
      { ...series, updated_at: '2026-08-22T00:00:00Z' },
      { team: 'charts' },
      { ...series, ...points([9, 9]), updated_at: '2026-08-02T00:00:00Z' },
      { team: 'charts', updated_at: new Date('2026-08-22T00:00:00Z') },
      { team: undefined, updated_at: new Date('2026-08-22T00:00:00Z') },
    ],
  ];
  for (const [what, collection, first, kept, given, expected, pruned] of merges)
    for (const [how, prune, members] of [
      ['without', false, expected],
      ['with', true, pruned],
    ] as const)
      it(`${what} (${how} --prune)`, async () => {
        await begin(collection, first, kept);
        await importOnly(collection, [given], prune);
        const stored = await storedIn(collection);
        for (const [name, value] of Object.entries(members))
          expect(stored[name], name).to.deep.equal(value);
      });

  it('compares a label with the first stored one of its name, which gateways serve, and removes others with --prune', async () => {
    const labels = world.db.collection<{ _id: string }>('labels');
    await begin('labels', { _id: 'b', name: 'Tidemark', aliases: ['TMR'] });
    await labels.insertOne({ ...{ _id: 'a' }, ...{ name: 'Tidemark', aliases: ['T'] } });
    const given = [{ name: 'Tidemark', aliases: ['TM'] }];
    const aliases = async () =>
      (await labels.find({}, { sort: { _id: 1 } }).toArray()).map(
        (stored: Document) => stored['aliases'],
      );
    const kept = await importOnly('labels', given);
    expect(kept).to.deep.include({ labels: { ...noCounts, changed: 1, kept: 1 } });
    expect(await aliases()).to.deep.equal([['TM'], ['TMR']]);
    const pruned = await importOnly('labels', given, true);
    expect(pruned).to.deep.include({ labels: { ...noCounts, unchanged: 1, removed: 1 } });
    expect(await aliases()).to.deep.equal([['TM']]);
  });

  it('counts in words what it adds, changes and keeps, and what --prune would remove', async () => {
    await folder.write('artists', artistDocuments(3));
    await folder.write('history', seriesDocuments(3, { points: 5 }));
    await folder.write('labels', [{ name: 'Tidemark', aliases: [] }]);
    await importHere(world.database.documents, [folder.path]);
    await world.db.collection('artists').updateMany({}, { $set: { owner: 'eve' } });
    await folder.write('artists', artistDocuments(2, { songs: [] }));
    await folder.write('history', [{ ...series, ...points([1, 7], [9, 9]) }]);
    await folder.write('labels', []);
    const { stderr } = await world.run('catalogue', 'import', folder.path, '--dry-run');
    expect(stderr).to.match(
      /Dry run, nothing was written\. An import now: changed 2 artists and 2 days of 1 series; kept 1 artist, 5 series \(2 of an artist or a song that is gone\), 4 days, 2 members and 1 label that the input does not have\.\n$/,
    );
    const asked = await world.run('catalogue', 'import', folder.path, '--prune-at-most', '5');
    expect(asked.stderr).to.include(
      'Remove 1 artist, 5 series (2 of an artist or a song that is gone), 4 days, 2 members and 1 label that the input no longer has?',
    );
    const { stderr: done } = await world.run(
      'catalogue',
      'import',
      folder.path,
      ...['--prune', '--yes', '--prune-at-most', '5'],
    );
    expect(done).to.match(
      /: changed 2 artists and 2 days of 1 series; removed 1 artist, 5 series .+ and 1 label\.\n$/,
    );
    expect(await world.db.collection('history').countDocuments({})).to.equal(1);
  });

  const message = async (documents: readonly Document[], name = 'artists') => {
    const result = await importOnly(name, documents);
    return 'refused' in result ? result.refused.map((one) => `${one.path} ${one.message}`) : [];
  };

  it('refuses an artist whose pair of ids differs from the stored pair, and series of no artist or song', async () => {
    await importOnly('artists', artistDocuments(2));
    const [first, second] = artistDocuments(2);
    expect(
      await message([
        { ...first, id: 'art_9' },
        { ...second, _id: 'another' },
      ]),
    ).to.deep.equal([
      'id doc0001 is stored with the id art_0001: use that one',
      '_id art_0002 is stored with the _id doc0002: use that one',
    ]);
    const orphans = [
      { ...series, artist_id: 'unknown' },
      { ...series, metric: 'streams', song_id: 'gone' },
    ];
    expect(await message(orphans, 'history')).to.deep.equal([
      'artist_id no valid artist has the id unknown',
      'song_id the artist art_0001 has no song gone',
    ]);
  });

  it('refuses a document that is above 8 MB after the merge, with its size', async () => {
    const long = 'x'.repeat(5 * 2 ** 20);
    await begin('artists', artist, { crm: { first: long } });
    expect(await message([{ ...artist, crm: { second: long } }])).to.deep.equal([
      'document would have 10.0 MB with what is stored; a document may have 8 MB',
    ]);
    expect(await storedIn('artists')).to.not.have.nested.property('crm.second');
  });

  const updatedAt = async () => Number((await storedIn('artists'))['updated_at']);

  it('moves `updated_at` forward only, and takes one of the input that is later', async () => {
    const written = Date.parse('2026-08-22T00:00:00Z');
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

  it('keeps the instant of the input in a database that never had an artist, and no other', async () => {
    await importOnly('artists', [artist]);
    expect(await updatedAt()).to.equal(Date.parse('2026-08-22T00:00:00Z'));
    await importOnly('history', [series]);
    await world.db.collection('artists').deleteMany({});
    await importOnly('artists', [{ ...artist, name: 'Corrected' }]);
    expect(await updatedAt(), 'the tag of the earlier content').to.equal(importedAt);
  });

  it('stores dates for the instants of members that end in `_at`, and no `_id` of a series or label', async () => {
    const crm = { seen_at: '2026-08-22T02:00:00+02:00', called_at: 'tomorrow' };
    await importOnly('artists', [{ ...artist, crm }]);
    expect((await storedIn('artists'))['crm']).to.deep.equal({
      seen_at: new Date('2026-08-22T00:00:00Z'),
      called_at: 'tomorrow',
    });
    await importOnly('labels', [{ _id: 'L1', name: 'Tidemark', aliases: [] }]);
    expect((await storedIn('labels'))['_id']).to.not.equal('L1');
  });

  it('confirms with `--prune` that a collection without documents is empty', async () => {
    await importOnly('artists', [artist]);
    await importOnly('history', [], true);
    expect(await storedIn('catalogue_confirmations')).to.deep.equal({
      _id: 'history',
      emptied_at: new Date(importedAt),
    });
    await importOnly('artists', []);
    const reason = await rejectionOf(importOnly('artists', [], true));
    expect(reason).to.match(/^The input has no artists, and --prune would remove all stored ones/);
  });

  it('warns about what is probably wrong', async () => {
    await begin('artists', artist);
    await importOnly('history', [{ ...series, ...points([1, 50], [2, 60]) }]);
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const [, second, third] = artistDocuments(3);
    await folder.write('artists', [
      { ...artist, name: '  ', updated_at: '2026-07-01T00:00:00Z', date_added: '2062-01-01' },
      { ...second, date_added: yesterday },
      { ...third, date_added: '2026-01-01' },
    ]);
    await folder.write('history', [
      { ...series, ...points([3, 60_000]) },
      { ...series, artist_id: 'art_0002', ...points([1, 10_000], [2, 20], [3, 700], [4, 2_000]) },
    ]);
    const { warnings } = await world.json<{ warnings: readonly Document[] }>(
      ...['catalogue', 'import', folder.path, '--dry-run'],
    );
    const found = warnings.map(({ id, member, reason }) => `${id} ${member} ${reason}`);
    expect(found).to.have.members([
      `art_0001 date_added ${String(warnings[1]?.['reason'])}`,
      'art_0001 name has nothing but blanks',
      'art_0002 points on 2026-08-01 is at least 100 times its neighbours',
      'art_0001 points on 2026-08-03 is at least 100 times its neighbours',
      'art_0003 date_added is before yesterday, or missing, in a new artist: polls by date_added will not find it',
      'art_0001 updated_at is older than in the stored artist, which this document replaces',
      'undefined document there are none, in the input or stored: no label will be detected',
    ]);
    expect(warnings[1]?.['reason']).to.match(/^is a day after 20\d\d-\d\d-\d\d, more than two /);
  });
});
