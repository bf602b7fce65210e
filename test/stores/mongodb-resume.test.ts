import { expect } from 'chai';
import { formNames } from '../../adapters/forms/forms.ts';
import type { TrackedCatalogue } from '../../adapters/stores/documents/tracked-document.ts';
import { createMongoCatalogue } from '../../adapters/stores/mongodb/catalogue.ts';
import { createConfirmations } from '../../adapters/stores/mongodb/empty-collections.ts';
import { createMongoKeys } from '../../adapters/stores/mongodb/keys.ts';
import { catalogueCodec } from '../../adapters/stores/state/catalogue-rows.ts';
import type { CopyCodec, ResumableSource } from '../../adapters/stores/state/kept-source.ts';
import { describeDatabase } from '../../adapters/stores/state/kept-source.ts';
import { createKeysCodec } from '../../adapters/stores/state/key-rows.ts';
import { runYielding } from '../../src/runtime/cooperative.ts';
import { insertDocuments, readFixtures } from '../support/documents.ts';
import { useMongo } from '../support/stores/mongo-database.ts';

/** Lets a source of a later process go on from the copy of an earlier one, and returns the contents of the copy. */
const handOver = async <Contents, State>(
  before: ResumableSource<Contents, State>,
  after: ResumableSource<Contents, State>,
  codec: CopyCodec<Contents, State>,
): Promise<Contents> => {
  for (let times = 0; times < 2; times += 1) await before.load();
  const state = await runYielding(codec.decode([...codec.encode(before.state())]));
  const contents = await codec.contentsOf(state);
  after.resume(state, contents);
  return contents;
};

/** A catalogue with the points of its artists decoded, to be compared. */
const plain = (catalogue: TrackedCatalogue) => ({
  ...catalogue,
  artists: [...catalogue.artists.values()].map(({ listed, ...document }) => ({
    ...document,
    listed: listed && { artist: listed.artist, recent: listed.recent, content: listed.content },
  })),
});

describe('a source in MongoDB that goes on from a copy', () => {
  const fixtures = readFixtures();
  const mongo = useMongo();
  const { finds } = mongo;
  beforeEach(() => insertDocuments(mongo.db, fixtures));

  const artists = () => mongo.db.collection('artists');
  const createCatalogue = () => createMongoCatalogue(mongo.db, createConfirmations(mongo.db));
  const resumeCatalogue = async () => {
    const source = createCatalogue();
    return { source, copied: await handOver(createCatalogue(), source, catalogueCodec) };
  };

  it('returns the very contents of the copy when nothing changed, and reads no artist', async () => {
    const { source, copied } = await resumeCatalogue();
    finds.length = 0;
    expect(await source.load()).to.equal(copied);
    expect(finds.filter(({ find, projection }) => find === 'artists' && projection === undefined)).to.deep.equal([]);
  });

  it('knows all that the earlier one knew: whatever texts are, faults, and points of a history that is empty now', async () => {
    const [template = {}] = fixtures.artists;
    const odd = { ...template, _id: 'odd', id: 'art_odd', name: 'tab\t and \u2028 are texts', photo_url: 'none' };
    const bad = { ...template, _id: 'bad', id: 'art_bad', updated_at: 'no date' };
    await mongo.db.collection<{ _id: string }>('artists').insertMany([odd, bad]);
    const confirmation = { _id: 'history', emptied_at: new Date() };
    await mongo.db.collection<{ _id: string }>('catalogue_confirmations').insertOne(confirmation);
    const source = createMongoCatalogue(mongo.db);
    await source.load();
    await mongo.db.collection('history').deleteMany({});
    await artists().updateOne({ id: 'art_4jt8re' }, { $set: { updated_at: new Date() } });
    await source.load();
    const read = await runYielding(catalogueCodec.decode([...catalogueCodec.encode(source.state())]));
    await runYielding(catalogueCodec.complete?.(read) ?? (function* () {})());
    expect(plain(read)).to.deep.equal(plain(source.state()));
    const known = [...read.artists.values()];
    expect(known.map(({ revision }) => typeof revision)).to.include('string');
    expect(known.flatMap(({ keepsRecent, listed }) => (keepsRecent ? [listed?.artist.id] : []))).to.include(
      'art_4jt8re',
    );
    expect(read.confirmations.get('history')).to.equal(String(confirmation.emptied_at.getTime()));
  });

  it('reads only what changed, keeps every other object, and drops what was removed', async () => {
    const { source, copied } = await resumeCatalogue();
    await artists().deleteOne({ id: 'art_9bk2fs' });
    await artists().updateOne({ id: 'art_4jt8re' }, { $set: { name: 'After', updated_at: new Date() } });
    const { artists: loaded, faults } = await source.load();
    const others = copied.artists.filter(({ artist: { id } }) => id !== 'art_9bk2fs' && id !== 'art_4jt8re');
    expect(loaded).to.include.members(others);
    expect(loaded).to.have.lengthOf(others.length + 1);
    expect(loaded.find(({ artist }) => artist.id === 'art_4jt8re')?.artist.name).to.equal('After');
    expect(faults).to.deep.equal([]);
  });

  it('serves the last good version of what became unreadable since, and does not report what it reads again', async () => {
    const { source, copied } = await resumeCatalogue();
    await artists().updateOne({ id: 'art_4jt8re' }, { $set: { name: 5, updated_at: new Date() } });
    await mongo.db.collection('labels').updateOne({ name: 'Korvane' }, { $set: { aliases: 5 } });
    const { artists: loaded, labels, faults } = await source.load();
    expect(loaded).to.deep.equal(copied.artists);
    expect(labels).to.deep.equal(copied.labels);
    const event = 'document unreadable, serving its last good version';
    expect(faults.map((fault) => [fault.event, fault.collection])).to.have.deep.members([
      [event, 'labels'],
      [event, 'artists'],
    ]);
    expect((await source.load()).faults).to.deep.equal(faults);
  });

  it('keeps the copy of artists, keys and organizations whose collection is empty now', async () => {
    const { source, copied } = await resumeCatalogue();
    const keys = createMongoKeys(mongo.db, formNames);
    const copiedKeys = await handOver(createMongoKeys(mongo.db, formNames), keys, createKeysCodec(formNames));
    await insertDocuments(mongo.db, {});
    const event = 'collection empty, serving the last copy';
    const catalogue = await source.load();
    expect(catalogue.artists).to.deep.equal(copied.artists);
    expect(catalogue.faults.map((fault) => fault.event)).to.deep.equal([event, event, event]);
    const records = await keys.load();
    expect(records.keys).to.deep.equal(copiedKeys.keys);
    expect(records.organizations).to.deep.equal(copiedKeys.organizations);
    expect(records.faults?.map((fault) => fault.event)).to.deep.equal([event, event]);
  });

  it('returns the very keys of the copy when nothing changed, and a revocation since', async () => {
    const keys = createMongoKeys(mongo.db, formNames);
    const copied = await handOver(createMongoKeys(mongo.db, formNames), keys, createKeysCodec(formNames));
    expect(await keys.load()).to.equal(copied);
    const revoked_at = new Date('2026-08-22T00:00:00Z');
    await mongo.db.collection<{ _id: string }>('api_keys').updateOne({ _id: 'qaCurrent' }, { $set: { revoked_at } });
    const records = await keys.load();
    expect(records.keys.find(({ id }) => id === 'qaCurrent')?.revokedAt).to.equal(revoked_at.getTime());
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
