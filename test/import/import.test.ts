import { expect } from 'chai';
import fc from 'fast-check';
import type { DocumentStore } from '../../adapters/stores/database.ts';
import { openMongo } from '../../adapters/stores/mongodb/connection.ts';
import {
  createMongoDocuments,
  createMongoLeases,
} from '../../adapters/stores/mongodb/documents.ts';
import { createMongoIndexes } from '../../adapters/stores/mongodb/indexes.ts';
import { withImportLease } from '../../tools/import/import-lease.ts';
import { changedAt } from '../../tools/import/to-stored.ts';
import { useCleanup } from '../support/cleanup.ts';
import { importedAt, importHere, noCounts } from '../support/cli/import-here.ts';
import {
  artistDocuments,
  type Document,
  seriesDocuments,
  useInputFolder,
} from '../support/cli/input-folder.ts';
import { expectRefusal, useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import { useMongo } from '../support/stores/mongo-database.ts';
import { rejectionOf } from '../support/wait.ts';

const collections = ['artists', 'history', 'labels'] as const;
type Collection = (typeof collections)[number];

/**
 * The revision of each artist, of each day of each series and of each label that there may be: three
 * artists, two series of each with two days, two labels.
 */
type Revisions = Readonly<Record<Collection, readonly (number | undefined)[]>>;
const days = ['2026-08-01', '2026-08-02'];

/** The documents that have something of these revisions. */
const documentsOf = (
  revisions: Partial<Revisions>,
): Readonly<Record<Collection, readonly Document[]>> => {
  const { artists = [], history = [], labels = [] } = revisions;
  const givenOf = (list: readonly (number | undefined)[], make: (index: number) => Document) =>
    list.flatMap((revision, index) => (revision === undefined ? [] : [make(index)]));
  return {
    artists: givenOf(artists, (index) => ({
      ...artistDocuments(3)[index],
      metrics: { monthly_listeners: artists[index] },
    })),
    history: seriesDocuments(3).flatMap((series, index) => {
      const points = givenOf(history.slice(2 * index, 2 * index + 2), (day) => ({
        date: days[day],
        value: history[2 * index + day],
      }));
      return points.length === 0 ? [] : [{ ...series, points }];
    }),
    labels: givenOf(labels, (index) => ({
      name: ['Tidemark', 'Korvane'][index],
      aliases: [String(labels[index])],
    })),
  };
};

/** The four days of the two series of an artist, by their place. */
const daysOf = (artist: number): readonly number[] => [0, 1, 2, 3].map((day) => 4 * artist + day);
const differs = (one: Revisions, other: Revisions, artist: number): boolean =>
  daysOf(artist).some((day) => one.history[day] !== other.history[day]);
const artistOf = (day: number): number => Math.floor(day / 4);

/** A catalogue without the series of artists that it does not have. */
const withoutOrphans = ({ artists, history, labels }: Revisions): Revisions => ({
  artists,
  history: history.map((one, day) => (artists[artistOf(day)] === undefined ? undefined : one)),
  labels,
});

type Prunes = (name: Collection) => boolean;

/** What files and store make together. */
const mergedAfter = (before: Revisions, given: Revisions, prunes: Prunes): Revisions => {
  const merged = (name: Collection) =>
    before[name].map(
      (revision, index) => given[name][index] ?? (prunes(name) ? undefined : revision),
    );
  return { artists: merged('artists'), history: merged('history'), labels: merged('labels') };
};

/** True if an import rejects its input. `artists`: what it would store. */
const isRefused = (given: Revisions, { artists }: Revisions, prunes: Prunes): boolean =>
  given.history.some(
    (revision, day) => revision !== undefined && artists[artistOf(day)] === undefined,
  ) ||
  (prunes('artists') && given.artists.every((revision) => revision === undefined));

type Slots = readonly (number | undefined)[];
const isNone = (slots: Slots): boolean => slots.every((slot) => slot === undefined);

/** The two days of each series. */
const seriesIn = (history: Slots): readonly Slots[] =>
  Array.from({ length: 6 }, (_, series) => [0, 1].map((day) => history[2 * series + day]));

/**
 * The counts of an import that leaves `after`. With `--prune` it would leave `pruned`.
 * `withMembers`: artists that have a member which the input does not have.
 */
const countsOf = (
  before: Revisions,
  given: Revisions,
  after: Revisions,
  pruned: Revisions,
  withMembers: number,
) => {
  type Level = Readonly<Record<'before' | 'given' | 'after' | 'pruned', readonly Slots[]>>;
  const levelOf = (slotsOf: (catalogue: Revisions) => readonly Slots[]): Level => ({
    before: slotsOf(before),
    given: slotsOf(given),
    after: slotsOf(after),
    pruned: slotsOf(pruned),
  });
  const none = () => false;
  type IsSo = (index: number) => boolean;
  const count = (level: Level, isTouched: IsSo = none, losesMembers: IsSo = none) => {
    const counts = { ...noCounts };
    for (const [index, was] of level.before.entries()) {
      const [is = [], will = [], input = []] = [level.after, level.pruned, level.given].map(
        (slots) => slots[index],
      );
      if (isNone(was)) counts.created += isNone(is) ? 0 : 1;
      else if (isNone(is)) counts.removed += 1;
      else if (isNone(will) && isNone(input)) counts.kept += 1;
      if (isNone(was) || isNone(is)) continue;
      if (losesMembers(index) || was.some((slot, day) => slot !== is[day])) counts.changed += 1;
      else if (isTouched(index)) counts.touched += 1;
      else if (!isNone(input)) counts.unchanged += 1;
    }
    return counts;
  };
  const each = (name: Collection) => levelOf((catalogue) => catalogue[name].map((slot) => [slot]));
  /** Of series that both have. */
  const both = seriesIn(before.history).map(
    (was, index) => !isNone(was) && !isNone(seriesIn(given.history)[index] ?? []),
  );
  const ofBoth = levelOf(({ history }) =>
    history.map((slot, day) => [both[Math.floor(day / 2)] === true ? slot : undefined]),
  );
  const isPruned = pruned === after;
  const members = { ...noCounts, [isPruned ? 'removed' : 'kept']: withMembers };
  return {
    artists: count(
      each('artists'),
      (index) => differs(before, after, index),
      (index) => isPruned && withMembers > 0 && given.artists[index] !== undefined,
    ),
    series: count(levelOf(({ history }) => seriesIn(history))),
    days: count(ofBoth),
    members,
    labels: count(each('labels')),
    orphans: { kept: 0, removed: 0 },
  };
};

const revisions = (length: number) =>
  fc.array(fc.constantFrom(0, 0, 1, undefined), { minLength: length, maxLength: length });
const anyCatalogue = fc.record({
  artists: revisions(3),
  history: revisions(12),
  labels: revisions(2),
});
const anyImport = fc.record({
  before: anyCatalogue.map(withoutOrphans),
  input: anyCatalogue,
  files: fc.subarray([...collections], { minLength: 1 }),
  prune: fc.boolean(),
  /** True if the stored artists have extra fields. */
  members: fc.boolean(),
  /** After how many writes it is interrupted, and whether half of the next one is written. */
  cut: fc.option(fc.record({ writes: fc.nat(7), half: fc.boolean() })),
});

/**
 * The store with a limit of writes: the first beyond it writes nothing, or half of its documents,
 * and fails.
 */
const cutAfter = (
  inner: DocumentStore,
  { writes, half }: { writes: number; half: boolean },
): DocumentStore => {
  let left = writes;
  const cutting =
    <Given, Result>(write: (collection: string, list: readonly Given[]) => Promise<Result>) =>
    async (collection: string, list: readonly Given[]): Promise<Result> => {
      if (list.length > 0) left -= 1;
      if (left >= 0) return write(collection, list);
      if (half && left === -1) await write(collection, list.slice(0, Math.floor(list.length / 2)));
      throw new Error('cut');
    };
  const { add, update, remove } = inner;
  return {
    ...inner,
    add: cutting(add),
    update: cutting(update),
    remove: cutting(remove),
  };
};

/** What is stored, as revisions, and the artists. */
const read = async (documents: DocumentStore) => {
  const all = async (name: Collection): Promise<Document[]> => {
    const found: Document[] = [];
    for await (const document of documents.find(name)) found.push(document);
    return found;
  };
  const [artists, history, labels] = [
    await all('artists'),
    await all('history'),
    await all('labels'),
  ];
  const full = documentsOf({ artists: [0, 0, 0], history: Array(12).fill(0), labels: [0, 0] });
  const keyOf = ({ id, artist_id, metric, name }: Document): string =>
    String(id ?? (artist_id === undefined ? name : `${artist_id} ${metric}`));
  const inOrder = (found: readonly Document[], name: Collection) =>
    full[name].map((document) => found.find((one) => keyOf(one) === keyOf(document)));
  const revisionIn = (document: Document | undefined, pattern: RegExp): number | undefined => {
    const [, digit] = pattern.exec(JSON.stringify(document ?? {})) ?? [];
    return digit === undefined ? undefined : Number(digit);
  };
  const stored: Revisions = {
    artists: inOrder(artists, 'artists').map((one) => revisionIn(one, /listeners":(\d)/)),
    history: inOrder(history, 'history').flatMap((one) =>
      days.map((day) => revisionIn(one, new RegExp(`"${day}","value":(\\d)`))),
    ),
    labels: inOrder(labels, 'labels').map((one) => revisionIn(one, /aliases":\["(\d)/)),
  };
  return { artists: inOrder(artists, 'artists'), stored };
};

describe('every import', () => {
  const folder = useInputFolder(true);
  const mongo = useMongo();
  const writtenAt = Date.parse('2026-08-22T00:00:00Z');

  const open = async (): Promise<DocumentStore> => {
    for (const name of collections) await mongo.db.collection(name).deleteMany({});
    return createMongoDocuments(mongo.db);
  };
  const importOf = async (
    documents: DocumentStore,
    given: Revisions,
    files: readonly Collection[],
    prune: boolean,
  ) => {
    const paths = files.map((name) => {
      return folder.write(name, documentsOf(given)[name]);
    });
    return importHere(documents, await Promise.all(paths), { prune });
  };

  const own = { owner: 'eve', 'links.crm': 'https://crm.example' };
  const hasOwn = ({ owner, links }: Document): boolean =>
    owner === 'eve' && JSON.stringify(links) === '{"crm":"https://crm.example"}';
  const hasNone = ({ owner, links }: Document): boolean =>
    owner === undefined && JSON.stringify(links) === '{}';

  const anyRun = fc.asyncProperty(
    anyImport,
    async ({ before, input, files, prune, members, cut }) => {
      const documents = await open();
      await importOf(documents, before, collections, false);
      if (members) await mongo.db.collection('artists').updateMany({}, { $set: own });
      const none = { artists: [], history: [], labels: [] };
      const given: Revisions = {
        ...none,
        ...Object.fromEntries(files.map((name) => [name, input[name]])),
      };
      const mayPrune: Prunes = (name) => files.includes(name);
      const prunes: Prunes = (name) => prune && mayPrune(name);
      const merged = mergedAfter(before, given, prunes);
      const pruned = withoutOrphans(mergedAfter(before, given, mayPrune));
      const after = prune ? pruned : withoutOrphans(merged);
      const ofBoth = before.artists.filter(
        (was, index) => members && was !== undefined && given.artists[index] !== undefined,
      );
      const extra = 2 * ofBoth.length;
      const run = (by = documents) => importOf(by, given, files, prune);
      if (isRefused(given, merged, prunes)) {
        const told = await run().catch(({ message }: Error) => ({ refused: message }));
        expect(told).to.have.property('refused').that.is.not.empty;
        expect((await read(documents)).stored).to.deep.equal(before);
        return;
      }
      if (cut !== null) {
        await run(cutAfter(documents, cut)).catch((failure: Error) =>
          expect(failure.message).to.equal('cut'),
        );
        const { artists, stored } = await read(documents);
        for (const [index, artist] of artists.entries()) {
          if (artist === undefined) continue;
          // A gateway that reads now finds no new series of old data. A gateway that read it before
          // reads it again.
          if (before.artists[index] === undefined)
            expect(differs(stored, after, index), 'all of a new artist').to.equal(false);
          else if (differs(before, stored, index)) {
            expect(stored.artists[index]).to.equal(after.artists[index] ?? before.artists[index]);
            expect(changedAt(artist)).to.be.greaterThan(writtenAt);
          }
        }
      }
      const counts = await run();
      if (cut === null) expect(counts).to.deep.equal(countsOf(before, given, after, pruned, extra));
      const { artists, stored } = await read(documents);
      expect(stored).to.deep.equal(after);
      for (const [index, artist] of artists.entries()) {
        if (artist === undefined) continue;
        expect(artist).to.not.have.property('series_unfinished');
        const was = before.artists[index];
        const isPruned = members && prune && given.artists[index] !== undefined;
        if (was !== undefined) expect(artist).to.satisfy(members && !isPruned ? hasOwn : hasNone);
        const isKept = was === after.artists[index] && !differs(before, after, index) && !isPruned;
        if (was !== undefined) expect(changedAt(artist)).to.equal(isKept ? writtenAt : importedAt);
      }
      expect(await run(), 'again').to.deep.equal(
        countsOf(after, given, after, pruned, prune ? 0 : extra),
      );
    },
  );

  it('leaves the merge of files and store, even after an interrupted import', async () => {
    await createMongoIndexes(mongo.db).create();
    await fc.assert(anyRun, { numRuns: 150 });
  });
});

const [artist = {}, second = {}, third = {}] = artistDocuments(3);
const [series = {}] = seriesDocuments(1);
const points = (...days: readonly (readonly [day: number, value: number])[]) => ({
  points: days.map(([day, value]) => ({ date: `2026-08-0${day}`, value })),
});
const song = { id: 'sng_0001', name: 'Song', metrics: {} };
const ownPoint = (value: number) => ({ date: '2026-08-01', value, source: 'a person' });

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

  const refusedIn = async (name: string, ...documents: readonly Document[]) => {
    const result = await importOnly(name, documents);
    return 'refused' in result ? result.refused.map((one) => `${one.path} ${one.message}`) : [];
  };

  it('rejects other pairs of ids than stored', async () => {
    await importOnly('artists', [artist, second]);
    expect(
      await refusedIn('artists', { ...artist, id: 'art_9' }, { ...second, _id: 'another' }),
    ).to.deep.equal([
      'id doc0001 is stored with the id art_0001: use that one',
      '_id art_0002 is stored with the _id doc0002: use that one',
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

describe('the lease of an import', () => {
  const world = useOperatorEnvironment();
  const folder = useInputFolder(true);
  const other = useInputFolder(true);
  const cleanup = useCleanup(afterEach);
  const collections = ['artists', 'history', 'labels'] as const;
  let now = Date.now();
  const withLease = (actor: string, work: Parameters<typeof withImportLease>[2]) =>
    withImportLease(
      { ...world.database, now: async () => now },
      { actor, machineNow: () => now },
      work,
    );
  const clear = async () => {
    for (const name of [...collections, 'leases']) await world.db.collection(name).deleteMany({});
  };
  beforeEach(async () => {
    await clear();
    await folder.write('artists', artistDocuments(2));
  });

  it('rejects a second import, which names the first; a dry run needs none', async () => {
    await withImportLease(world.database, { actor: 'eve', machineNow: Date.now }, async () => {
      await world.done('catalogue', 'import', folder.path, '--dry-run');
      expectRefusal(
        await world.run('catalogue', 'import', folder.path),
        /^Another import is running \(eve on .+, process \d+, since .+Z\): nothing was done\. Run this again /,
      );
    });
    await world.done('catalogue', 'import', folder.path);
    expect(await world.db.collection('leases').countDocuments({})).to.equal(0);
  });

  it('expires 30 s after its last renewal', async () => {
    await withLease('eve', async (dead) => {
      const takeOver = () => withLease('bob', async () => {});
      for (const seconds of [29, 29, 29]) {
        now += seconds * 1_000;
        expect(await rejectionOf(takeOver())).to.match(/^Another import is running/);
        await dead.confirm();
      }
      now += 30_000;
      await takeOver();
      expect(await rejectionOf(dead.confirm())).to.match(/^Another import began/);
    });
  });

  it('is acquired by one of 24 concurrent clients when it has expired', async () => {
    const url = world.settings['MONGODB_URL'] ?? '';
    const clients = Array.from({ length: 24 }, () =>
      cleanup.add(openMongo(url), ({ close }) => close()),
    );
    await Promise.all(clients.map(({ db }) => db.command({ ping: 1 }))); // connects
    for (let race = 0; race < 8; race += 1) {
      const of = (client: number, from: number) => ({
        ...{ _id: `race ${race}`, token: `${client}`, holder: 'racer' },
        ...{ acquired_at: new Date(from), expires_at: new Date(from + 30_000) },
      });
      const leases = clients.map(({ db }) => createMongoLeases(db));
      await leases[0]?.take(of(-1, now - 60_000));
      const taken = leases.map(({ take }, client) => take(of(client, now)));
      expect((await Promise.all(taken)).filter(Boolean)).to.have.length(1);
    }
  });

  /** Two artists of every revision, and one of its own; each has what the others lack. */
  const write = async ({ write: file }: typeof folder, revision: number): Promise<void> => {
    const ids = ['art_0001', 'art_0002', `art_000${3 + revision}`];
    const isOwn = (document: Document) =>
      ids.includes(String(document['artist_id'] ?? document['id']));
    const artists = artistDocuments(9, { metrics: { monthly_listeners: revision } });
    await file('artists', artists.filter(isOwn));
    await file('history', seriesDocuments(9, { points: 1, add: revision }).filter(isOwn));
    const label = (name: string) => ({ name, aliases: [`${revision}`] });
    await file('labels', ['Tidemark', `Label ${revision}`].map(label));
  };
  const stored = async (): Promise<Document[]> => {
    const found = collections.map((name) => world.db.collection(name).find({}).toArray());
    return (await Promise.all(found)).flat();
  };
  const prune = (path: string, lease?: Parameters<typeof importHere>[2]) =>
    importHere(world.database.documents, [path], { prune: true, ...lease });

  for (const [where, index] of [
    ['before', 0],
    ['after', 1],
  ] as const)
    it(`protects the writes of another run if a run stops ${where} a confirmation`, async () => {
      for (let at = 1, hasStopped = true; hasStopped; at += 1) {
        await clear();
        await write(folder, 1);
        await write(other, 2);
        await prune(folder.path);
        let written: Document[] = [];
        const runOther = async () => {
          await write(folder, 3);
          now += 40_000;
          await withLease('bob', (lease) => prune(folder.path, { lease }));
          written = await stored();
        };
        let confirmations = 0;
        const run = withLease('eve', (lease) => {
          const steps = [runOther, lease.confirm];
          const confirm = async () => {
            confirmations += 1;
            if (confirmations !== at) return lease.confirm();
            for (const step of index === 0 ? steps : steps.toReversed()) await step();
          };
          return prune(other.path, { lease: { confirm } });
        });
        const reason = await rejectionOf(run).catch(() => undefined);
        hasStopped = written.length > 0;
        if (!hasStopped) expect(at, 'one for each command').to.be.above(9);
        else if (reason === undefined)
          expect(index, `${at}`).to.equal(1); // its last confirmation
        else
          expect(reason, `${at}`).to.match(
            /^(Another import began|Stored documents were changed .+ stopped\. Run it again\.$)/,
          );
        const after = new Map((await stored()).map((one) => [String(one['_id']), one]));
        for (const one of written)
          expect(after.get(String(one['_id'])), `${at}`).to.deep.equal(one);
        if (index === 0 && hasStopped) expect(after.size, `${at}`).to.equal(written.length);
      }
    });
});
