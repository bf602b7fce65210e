import { expect } from 'chai';
import fc from 'fast-check';
import { createMongoIndexes } from '../../adapters/stores/mongodb/indexes.ts';
import { importHere, noCounts } from '../support/cli/import-here.ts';
import {
  artistDocuments,
  type Document,
  seriesDocuments,
  useInputFolder,
} from '../support/cli/input-folder.ts';
import { useOperatorEnvironment } from '../support/cli/operator-environment.ts';

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
    for (const name of ['artists', 'history', 'labels'])
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
      'keeps one whose name has a dot',
      'artists',
      artist,
      { links: { 'my.crm': 1, spotify: 'https://a.example' } },
      { ...artist, links: { 'other.crm': 2 } },
      { links: { 'my.crm': 1, 'other.crm': 2 } },
      { links: { 'other.crm': 2 } },
    ],
    [
      'adds to an object that is no part of the format what the input has of it',
      'artists',
      { ...artist, crm: { owner: 'eve', tags: ['a', 'b'] } },
      { 'crm.seen_at': new Date(5) },
      { ...artist, crm: { owner: 'bob', tags: ['c'] } },
      { crm: { owner: 'bob', tags: ['c'], seen_at: new Date(5) } },
      { crm: { owner: 'bob', tags: ['c'] } },
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
      'keeps one inside an object of the format that it has as null',
      'artists',
      { ...artist, editorial: { scouting_report: 'Loud.' } },
      { 'editorial.draft_by': 'eve' },
      { ...artist, editorial: null },
      { editorial: { draft_by: 'eve' } },
      { editorial: null },
    ],
    [
      'writes an object where something else is stored',
      'artists',
      artist,
      { links: null, metrics: 'none' },
      { ...artist, links: { spotify: 'https://a.example' } },
      { links: { spotify: 'https://a.example' }, metrics: artist['metrics'] },
      { links: { spotify: 'https://a.example' }, metrics: artist['metrics'] },
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
    [
      'takes the aliases of a label, and keeps another member',
      'labels',
      { name: 'Tidemark', aliases: ['TM', 'T'] },
      { contact: 'bob' },
      { name: 'Tidemark', aliases: ['TM'] },
      { aliases: ['TM'], contact: 'bob' },
      { aliases: ['TM'], contact: undefined },
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

  it('sends the members that differ, and nothing of an equal document', async () => {
    await begin('artists', artist);
    const sent: unknown[] = [];
    const { documents } = world.database;
    const update: typeof documents.update = async (collection, changes) => {
      sent.push(...changes.map(({ document }) => Object.keys(document).toSorted()));
      return documents.update(collection, changes);
    };
    const send = async (given: Document): Promise<void> => {
      const file = await folder.write('artists', [given]);
      await importHere({ ...documents, update }, [file]);
    };
    await send({ ...artist, links: { spotify: 'https://a.example' } });
    await send({ ...artist, links: { spotify: 'https://a.example' } });
    const maintained = ['import_run', 'series_unfinished', 'updated_at'];
    expect(sent).to.deep.equal([['links.spotify', ...maintained].toSorted()]);
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
    const asked = await world.run('catalogue', 'import', folder.path, '--prune');
    expect(asked.stderr).to.include(
      'Remove 1 artist, 5 series (2 of an artist or a song that is gone), 4 days, 2 members and 1 label that the input no longer has?',
    );
    const { stderr: done } = await world.run(
      'catalogue',
      'import',
      folder.path,
      '--prune',
      '--yes',
    );
    expect(done).to.match(
      /: changed 2 artists and 2 days of 1 series; removed 1 artist, 5 series .+ and 1 label\.\n$/,
    );
    expect(await world.db.collection('history').countDocuments({})).to.equal(1);
  });

  it('stops when somebody adds a day after it has compared, and keeps that day', async () => {
    await begin('history', { ...series, ...points([1, 1]) });
    const { documents } = world.database;
    let reads = 0;
    const find: typeof documents.find = async function* (collection, query) {
      const isSeries = collection === 'history' && query?.members === undefined;
      if (isSeries) reads += 1;
      if (isSeries && reads === 2)
        await world.db.collection('history').updateOne({}, { $set: points([1, 1], [2, 2]) });
      yield* documents.find(collection, query);
    };
    for (const prune of [true, false]) {
      reads = 0;
      await world.db.collection('history').updateOne({}, { $set: points([1, 1]) });
      const file = await folder.write('history', [{ ...series, ...points([3, 3]) }]);
      const reason = await importHere({ ...documents, find }, [file], { prune }).catch(
        ({ message }: Error) => message,
      );
      expect(reason).to.match(/^Stored documents were changed by somebody else meanwhile/);
      expect(await storedIn('history')).to.deep.include(points([1, 1], [2, 2]));
    }
  });

  it('does not overwrite a list that changes while the command is on its way', async () => {
    await begin('history', { ...series, ...points([1, 1]) });
    const { documents } = world.database;
    const update: typeof documents.update = async (collection, changes) => {
      if (collection === 'history')
        await world.db.collection('history').updateOne({}, { $set: points([1, 1], [2, 2]) });
      return documents.update(collection, changes);
    };
    const file = await folder.write('history', [{ ...series, ...points([3, 3]) }]);
    const reason = await importHere({ ...documents, update }, [file]).catch(
      ({ message }: Error) => message,
    );
    expect(reason).to.match(/^Stored documents were changed by somebody else meanwhile/);
    expect(await storedIn('history')).to.deep.include(points([1, 1], [2, 2]));
  });

  it('gives one series of months that are imported by themselves, twice and in any order', async () => {
    const months = ['2026-06', '2026-07', '2026-08'] as const;
    const anyDays = fc.uniqueArray(
      fc.tuple(fc.constantFrom(...months), fc.integer({ min: 10, max: 28 })),
      {
        minLength: 1,
        maxLength: 20,
        selector: ([month, day]) => `${month}-${day}`,
      },
    );
    const order = fc.shuffledSubarray([...months, ...months], { minLength: 6, maxLength: 6 });
    await importOnly('artists', [artist]);
    await fc.assert(
      fc.asyncProperty(anyDays, order, async (days, imports) => {
        await world.db.collection('history').deleteMany({});
        const all = days
          .map(([month, day]) => ({ date: `${month}-${day}`, value: day }))
          .toSorted((one, other) => (one.date < other.date ? -1 : 1));
        for (const month of imports) {
          const own = all.filter(({ date }) => date.startsWith(month));
          if (own.length === 0) continue;
          const result = await importOnly(`history-${month}`, [{ ...series, points: own }]);
          expect(result).to.have.nested.property('days.removed', 0);
        }
        expect((await storedIn('history'))['points']).to.deep.equal(all);
      }),
      { numRuns: 30 },
    );
  });

  it('refuses a name at the top of a document that an update cannot name', async () => {
    for (const name of ['a.b', '']) {
      const result = await importOnly('artists', [{ ...artist, [name]: 1 }]);
      const [mistake] = 'refused' in result ? result.refused : [];
      expect(mistake?.message).to.match(/^has a name that MongoDB cannot update/);
    }
    const inside = await importOnly('artists', [{ ...artist, crm: { 'a.b': 1, '': 2 } }]);
    expect(inside).to.deep.include({ artists: { ...noCounts, created: 1 } });
  });

  it('remarks artists whose input is older than what is stored, days ahead and that there is no label', async () => {
    await begin('artists', artist);
    const { remarks } = await world.json<{ remarks: readonly Document[] }>(
      'catalogue',
      'import',
      await folder.write('artists', [
        {
          ...artist,
          name: 'July',
          updated_at: '2026-07-01T00:00:00Z',
          date_added: '2062-01-01',
        },
      ]),
      '--dry-run',
    );
    expect(remarks.map(({ member, reason }) => `${member} ${reason}`)).to.deep.equal([
      remarks[0] && `date_added ${remarks[0]['reason']}`,
      'updated_at is older than that of the stored artist, which this document replaces',
      'document there are none, in the input or stored: no label will be detected',
    ]);
    expect(remarks[0]?.['reason']).to.match(/^is a day after 20\d\d-\d\d-\d\d, more than two /);
    await folder.write('labels', [{ name: 'Tidemark', aliases: [] }]);
    const { remarks: none } = await world.json<{ remarks: readonly Document[] }>(
      'catalogue',
      'import',
      folder.path,
      '--dry-run',
    );
    expect(none.filter(({ file }) => file === 'labels')).to.deep.equal([]);
  });

  it('remarks spellings that a label of the input shares with a stored one, which `--prune` removes', async () => {
    const reasons = async (aliases: readonly string[], ...options: string[]) => {
      const path = await folder.write('labels', [{ name: 'Tidemark', aliases }]);
      const { remarks } = await world.json<{ remarks: readonly Document[] }>(
        ...['catalogue', 'import', path, '--dry-run', ...options],
      );
      return remarks.map(({ member, reason }) => `${member} ${reason}`);
    };
    await begin('labels', { name: 'Rowe', aliases: ['TM'] });
    await importOnly('labels', [{ name: 'Tidemark', aliases: ['Rowe'] }]);
    expect(await reasons(['tm', 'T'])).to.deep.equal([
      'aliases has "tm", which Rowe has too: P-lines with it are detected as Rowe',
    ]);
    expect(await reasons(['tm'], '--prune')).to.deep.equal([]);
    expect(await reasons(['T'])).to.deep.equal([]);
  });
});
