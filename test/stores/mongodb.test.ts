import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { Long } from 'mongodb';
import { createMongoCatalogue } from '../../adapters/stores/mongodb/catalogue.ts';
import { insertDocuments, readFixtures, type StoredDocument } from '../support/documents.ts';
import { useMongo } from '../support/stores/mongo-database.ts';

describe('MongoDB', () => {
  const fixtures = readFixtures();
  const [template = {}] = fixtures.artists;
  const mongo = useMongo();
  const insertArtists = (...artists: StoredDocument[]) =>
    insertDocuments(mongo.db, { artists: artists.map((artist) => ({ ...template, ...artist })) });

  it('limits the time of every read on the server, and of the list of artists to 10 s', async () => {
    await insertDocuments(mongo.db, fixtures);
    await createMongoCatalogue(mongo.db).load();
    const isList = ({ find, projection }: StoredDocument) =>
      find === 'artists' && projection !== undefined;
    const [lists, reads] = [true, false].map((is) => mongo.finds.filter((f) => isList(f) === is));
    expect(lists?.map((find) => find['maxTimeMS'])).to.deep.equal([10_000]);
    expect(reads?.length).to.be.greaterThan(3);
    for (const find of reads ?? [])
      expect(find, JSON.stringify(find)).to.include({ maxTimeMS: 1_500 });
  });

  it('reads 2^53 exactly, and leaves out a larger number', async () => {
    const [spotify_streams, monthly_listeners] = ['9007199254740993', '9007199254740992'].map(
      (text) => Long.fromString(text),
    );
    const metrics = { spotify_streams, monthly_listeners };
    await insertArtists({ _id: 'a', id: 'art_a', metrics });
    const { artists, faults } = await createMongoCatalogue(mongo.db).load();
    expect(artists[0]?.artist.metrics).to.deep.equal({ monthly_listeners: 2 ** 53 });
    const [fault] = faults;
    expect(fault).to.include({ event: 'invalid field ignored', document: 'a (id art_a)' });
    expect(fault?.reason).to.match(/^metrics\.spotify_streams: /);
  });

  it('reads a faulty document again at every load, until it is fixed', async () => {
    const country = { _id: 'bad', id: 'art_bad', country_code: 'Indonesia' };
    await insertArtists({ _id: 'good', id: 'art_good' }, country);
    const source = createMongoCatalogue(mongo.db);
    const contents = await source.load();
    mongo.finds.length = 0;
    expect(await source.load()).to.equal(contents);
    const filters = mongo.finds
      .filter(({ find }) => find === 'artists')
      .map(({ filter }) => filter);
    expect(filters).to.deep.equal([{}, { _id: { $in: ['bad'] } }]);
    await mongo.db
      .collection('artists')
      .updateOne({ id: 'art_bad' }, { $set: { country_code: 'ID' } });
    const { artists, faults } = await source.load();
    expect(artists.map(({ artist }) => artist.countryCode)).to.include('ID');
    expect(faults.map(({ event }) => event)).to.deep.equal([
      'content changed without a newer updated_at',
    ]);
  });

  it('reads from the primary only: a secondary may lag, and undo a revocation', () => {
    expect(mongo.db.client.options.readPreference.mode).to.equal('primary');
  });

  it("never uses the driver's timeoutMS, which does not limit a read", () => {
    const folder = new URL('../../adapters/stores/mongodb/', import.meta.url);
    const files = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), 'utf8'));
    expect(files.length).to.be.greaterThan(3);
    const code = files.join('').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
    expect(code).not.to.match(/\btimeoutM(S|ode)\b/);
  });
});
