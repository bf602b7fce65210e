import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { formNames } from '../../adapters/forms/forms.ts';
import { createMongoCatalogue } from '../../adapters/stores/mongodb/catalogue.ts';
import { createMongoKeys } from '../../adapters/stores/mongodb/keys.ts';
import {
  type CopyRows,
  catalogueRows,
  rowsOfLists,
} from '../../adapters/stores/state/copy-rows.ts';
import {
  type ContinuedSource,
  describeDatabase,
  type Former,
} from '../../adapters/stores/state/kept-source.ts';
import type { DocumentFault } from '../../src/domain/document-fault.ts';
import type { KeyRecords } from '../../src/ports.ts';
import { catchError } from '../support/catch-error.ts';
import { insertDocuments, readFixtures } from '../support/documents.ts';
import { useMongo } from '../support/stores/mongo-database.ts';

/** What a source of a later process is given: the copy of what an earlier one loaded. */
const copyOf = async <Contents>(
  before: ContinuedSource<Contents>,
  { write, read }: CopyRows<Contents>,
): Promise<Contents> => read(write(await before.load()));

const ofThisVersion = <Contents>(contents: Contents): Former<Contents> => ({
  contents,
  isOfThisVersion: true,
});

describe('a source in MongoDB that goes on from a copy', () => {
  const fixtures = readFixtures();
  const mongo = useMongo();
  beforeEach(() => insertDocuments(mongo.db, fixtures));

  const artists = () => mongo.db.collection('artists');
  const history = () => mongo.db.collection('history');
  const keyRows = rowsOfLists<KeyRecords>('keys', 'organizations');
  const createKeys = () => createMongoKeys(mongo.db, formNames);
  const copyKeys = () => copyOf(createKeys(), keyRows);
  /**
   * A source of a new process, after one that has loaded twice, and its first load with the copy.
   */
  const continueCatalogue = async (before = createMongoCatalogue(mongo.db)) => {
    await before.load();
    const [source, copied] = [createMongoCatalogue(mongo.db), await copyOf(before, catalogueRows)];
    return { source, copied, load: () => source.load(ofThisVersion(copied)) };
  };
  const told = (faults: readonly DocumentFault[] = []) =>
    faults.map(({ event, collection }) => `${event}: ${collection}`);
  const idsOf = (unreadable: KeyRecords['unreadable'] = []) =>
    unreadable.map(({ id, hash, form, organizationId, trial }) => [
      ...[id, hash, form, organizationId],
      ...[trial?.form, trial?.until],
    ]);
  const kept = 'collection empty, serving the last copy';

  it('returns the very contents of the copy when nothing changed, whatever is stored', async () => {
    const [template = {}] = fixtures.artists;
    const odd = {
      ...template,
      _id: new ObjectId(),
      id: 'art_odd',
      name: 'tab\t and \u2028 are texts',
      photo_url: 'none',
    };
    const untouched = { ...template, _id: 'untouched', id: 'art_untouched', updated_at: 'no date' };
    await mongo.db.collection('artists').insertMany([odd, untouched as object]);
    await mongo.db.collection('artists').insertOne({ name: 'cannot be read' });
    const { load, copied } = await continueCatalogue();
    expect(told(copied.faults)).to.have.members([
      'member left out: artists',
      'document left out: artists',
      'document left out: artists',
    ]);
    const loaded = await load();
    expect(loaded).to.equal(copied);
    expect(await load()).to.equal(copied);
  });

  it('takes a point of -0 for the 0 that a copy can hold', async () => {
    const points = [{ date: '2026-08-21', value: -0 }];
    await history().updateMany({ song_id: null }, { $set: { points } });
    const { load, copied } = await continueCatalogue();
    expect(copied.artists.flatMap(({ recent }) => recent)).not.to.be.empty;
    expect((await load()).faults).to.deep.equal(copied.faults);
  });

  it('reads what changed, keeps every other object, and drops what was removed', async () => {
    const { load, copied } = await continueCatalogue();
    await artists().deleteOne({ id: 'art_9bk2fs' });
    await artists().updateOne(
      { id: 'art_4jt8re' },
      { $set: { name: 'After', updated_at: new Date() } },
    );
    const { artists: loaded, faults } = await load();
    const others = copied.artists.filter(
      ({ artist: { id } }) => id !== 'art_9bk2fs' && id !== 'art_4jt8re',
    );
    expect(loaded).to.include.members(others);
    expect(loaded).to.have.lengthOf(others.length + 1);
    expect(loaded.find(({ artist }) => artist.id === 'art_4jt8re')?.artist.name).to.equal('After');
    expect(faults).to.deep.equal([]);
  });

  it('reports content that changed without a newer updated_at, before the copy or since', async () => {
    const before = createMongoCatalogue(mongo.db);
    await before.load();
    const rename = (id: string, updated_at: Date) =>
      artists().updateOne({ id }, { $set: { name: 'Earlier', updated_at } });
    await rename('art_4jt8re', new Date('2026-08-01'));
    const { load } = await continueCatalogue(before);
    await rename('art_9bk2fs', new Date('2026-08-01'));
    const { faults } = await load();
    expect(faults.map(({ event }) => event)).to.deep.equal([
      'content changed without a newer updated_at',
      'content changed without a newer updated_at',
    ]);
    await rename('art_4jt8re', new Date());
    expect((await load()).faults).to.have.length(1);
  });

  it('serves the last good version of what became unreadable since', async () => {
    const byObjectId = {
      ...fixtures.artists[0],
      _id: new ObjectId(),
      id: 'art_oid',
      updated_at: new Date(0),
    };
    await artists().insertOne(byObjectId);
    const { load, copied } = await continueCatalogue();
    await artists().updateMany(
      { id: { $in: ['art_4jt8re', 'art_oid'] } },
      { $set: { name: 5, updated_at: new Date() } },
    );
    await mongo.db.collection('labels').updateOne({ name: 'Korvane' }, { $set: { name: 5 } });
    const { artists: loaded, labels, faults } = await load();
    expect(loaded).to.have.deep.members([...copied.artists]);
    expect(labels).to.deep.equal(copied.labels);
    const event = 'document unreadable, serving its last good version';
    expect(told(faults)).to.have.members([
      `${event}: labels`,
      `${event}: artists`,
      `${event}: artists`,
    ]);
    expect((await load()).faults).to.deep.equal(faults);
  });

  it('keeps the copy of artists, keys and organizations whose collection is empty now', async () => {
    const [{ load, copied }, copiedKeys, keys] = [
      await continueCatalogue(),
      await copyKeys(),
      createKeys(),
    ];
    await insertDocuments(mongo.db, {});
    const catalogue = await load();
    expect(catalogue.artists).to.deep.equal(copied.artists);
    expect(catalogue.labels).to.deep.equal(copied.labels);
    expect(told(catalogue.faults)).to.have.members([
      `${kept}: artists`,
      `${kept}: labels`,
      `${kept}: history`,
    ]);
    const records = await keys.load(ofThisVersion(copiedKeys));
    expect(records.keys).to.deep.equal(copiedKeys.keys);
    expect(records.organizations).to.deep.equal(copiedKeys.organizations);
    expect(told(records.faults)).to.deep.equal([`${kept}: organizations`, `${kept}: api_keys`]);
  });

  for (const collection of ['artists', 'labels', 'history'])
    it(`does not load from ${collection} that are empty now, after a process of another version that had some, until a confirmation`, async () => {
      const { source, copied } = await continueCatalogue();
      await mongo.db.collection(collection).deleteMany({});
      const failure = await catchError(() =>
        source.load({ contents: copied, isOfThisVersion: false }),
      );
      expect(String(failure)).to.include(`the collection ${collection} is empty`);
      await mongo.db
        .collection<{ _id: string }>('catalogue_confirmations')
        .insertOne({ _id: collection, emptied_at: new Date() } as { _id: string });
      const { faults } = await source.load();
      expect(told(faults)).to.deep.equal([]);
    });

  for (const [collection, missing] of [
    ['api_keys', 'key'],
    ['organizations', 'organization'],
  ] as const)
    it(`does not load from ${collection} that are empty now, after a process of another version that had some, until there are some`, async () => {
      const [copied, keys] = [await copyKeys(), createKeys()];
      await mongo.db.collection(collection).deleteMany({});
      const failure = await catchError(() =>
        keys.load({ contents: copied, isOfThisVersion: false }),
      );
      expect(String(failure)).to.include(`there is no ${missing} any more`);
      await insertDocuments(mongo.db, fixtures);
      expect((await keys.load()).keys).to.have.length(copied.keys.length);
    });

  it('keeps the points of a history that is empty now, until a confirmation that the copy does not know', async () => {
    const confirm = (at: string) =>
      mongo.db
        .collection<{ _id: string }>('catalogue_confirmations')
        .replaceOne({ _id: 'history' }, { emptied_at: new Date(at) }, { upsert: true });
    await confirm('2026-08-01');
    const { load, copied } = await continueCatalogue();
    await history().deleteMany({});
    const { artists: loaded, faults } = await load();
    expect(loaded).to.deep.equal(copied.artists);
    expect(told(faults)).to.deep.equal([`${kept}: history`]);
    await confirm('2026-08-02');
    const believed = await load();
    expect(believed.artists.flatMap(({ recent }) => recent)).to.deep.equal([]);
    expect(believed.faults).to.deep.equal([]);
  });

  for (const emptied of [['api_keys', 'organizations'], ['organizations']])
    it(`judges keys that cannot be read, and those of organizations that cannot, as before when ${emptied.join(' and ')} are empty`, async () => {
      const set = (collection: string, _id: string, change: object) =>
        mongo.db.collection<{ _id: string }>(collection).updateOne({ _id }, { $set: change });
      const trial = { form: 'variant', until: new Date('2099-01-01') };
      await set('api_keys', 'qaCurrent', { partner: 5, trial });
      await set('organizations', 'org_qa', { name: 5 });
      const copied = await copyKeys();
      expect(copied.unreadable?.length).to.be.greaterThan(1);
      for (const collection of emptied) await mongo.db.collection(collection).deleteMany({});
      const {
        unreadable = [],
        keys,
        organizations,
      } = await createKeys().load(ofThisVersion(copied));
      expect(idsOf(unreadable)).to.have.deep.members(idsOf(copied.unreadable));
      // a copy has no members without a value
      const served = JSON.parse(JSON.stringify([keys, organizations]));
      expect(served).to.deep.equal([copied.keys, copied.organizations]);
    });

  it('returns the very keys of the copy when nothing changed, and a revocation since', async () => {
    const [copied, keys] = [await copyKeys(), createKeys()];
    expect(await keys.load(ofThisVersion(copied))).to.equal(copied);
    const revoked_at = new Date('2026-08-22T00:00:00Z');
    await mongo.db
      .collection<{ _id: string }>('api_keys')
      .updateOne({ _id: 'qaCurrent' }, { $set: { revoked_at } });
    const records = await keys.load(ofThisVersion(copied));
    expect(records.keys.find(({ id }) => id === 'qaCurrent')?.revokedAt).to.equal(
      revoked_at.getTime(),
    );
  });

  it('serves the last good version of a key that became unreadable since, and closes it when it is revoked', async () => {
    const [copied, keys] = [await copyKeys(), createKeys()];
    const good = copied.keys.find(({ id }) => id === 'qaCurrent');
    const revokedAt = new Date('2026-08-22T00:00:00Z');
    await mongo.db
      .collection<{ _id: string }>('api_keys')
      .updateOne({ _id: 'qaCurrent' }, { $set: { partner: 5, revoked_at: revokedAt } });
    const records = await keys.load(ofThisVersion(copied));
    expect(records.keys.find(({ id }) => id === 'qaCurrent')).to.deep.include({
      ...good,
      revokedAt: revokedAt.getTime(),
    });
  });

  it('is named by hosts and database, without user, password and options', () => {
    for (const [url, name] of [
      ['mongodb://localhost/gateway', 'mongodb://localhost/gateway'],
      [
        'mongodb://user:p%40ss@a.example:1,b.example:2/gateway?replicaSet=x',
        'mongodb://a.example:1,b.example:2/gateway',
      ],
      ['mongodb+srv://u:p@cluster.example/gateway', 'mongodb+srv://cluster.example/gateway'],
      ['mongodb://u:raw@p?ss@host/db?a=b@c/d', 'mongodb://host/db'],
    ] as const)
      expect(describeDatabase(url)).to.equal(name);
  });
});
