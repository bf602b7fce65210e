import { expect } from 'chai';
import { formNames } from '../../adapters/forms/forms.ts';
import { createEmbeddedKeys } from '../../adapters/stores/embedded/keys.ts';
import { createMongoKeys } from '../../adapters/stores/mongodb/keys.ts';
import { insertDocuments, readFixtures, type StoredDocument } from '../support/documents.ts';
import { createDocumentFolder } from '../support/stores/document-folder.ts';
import { useMongo } from '../support/stores/mongo-database.ts';
import { describeKeyStore, type KeysUnderTest } from './keys.conformance.ts';

const openFiles = async (): Promise<KeysUnderTest> => {
  const { path, write, close } = await createDocumentFolder();
  return {
    source: createEmbeddedKeys(path, formNames, { sandbox: true }),
    write: ({ api_keys, organizations }) => write({ api_keys, organizations }),
    close,
  };
};

describeKeyStore('files', openFiles);

describe('with a MongoDB server', () => {
  const mongo = useMongo();
  describeKeyStore('MongoDB', async () => ({
    source: createMongoKeys(mongo.db, formNames),
    write: ({ api_keys, organizations }) =>
      insertDocuments(mongo.db, { api_keys: [...api_keys], organizations: [...organizations] }),
    close: async () => {},
  }));
});

describe('keys in files', () => {
  it('keep the first of two keys with the same id, and report the other', async () => {
    const store = await openFiles();
    const { api_keys, organizations } = readFixtures();
    await store.write({
      api_keys: [...api_keys, { ...api_keys[0], partner: 'Another' }],
      organizations,
    });
    const { keys, faults = [] } = await store.source.load();
    expect(keys).to.have.length(api_keys.length);
    expect(keys[0]?.partner).to.equal(api_keys[0]?.['partner']);
    expect(faults.map(({ event, reason }) => `${event}: ${reason}`)).to.deep.equal([
      'document left out: another document with the same identifier is kept',
    ]);
    expect(faults[0]?.document).to.match(/api_keys\.json line \d+ column \d+$/);
    await store.close();
  });

  for (const isFirst of [true, false])
    it(`count one that is revoked and one that is suspended, ${isFirst ? 'before' : 'behind'} another with the same id, and report the other`, async () => {
      const store = await openFiles();
      const { api_keys, organizations } = readFixtures();
      const ended_at = '2026-08-01T00:00:00Z';
      const inOrder = (one: StoredDocument = {}, ended: StoredDocument): StoredDocument[] =>
        isFirst ? [ended, one] : [one, ended];
      const [key, ...keys] = api_keys;
      const [organization, ...others] = organizations;
      await store.write({
        api_keys: [...inOrder(key, { ...key, revoked_at: ended_at }), ...keys],
        organizations: [
          ...inOrder(organization, { ...organization, suspended_at: ended_at }),
          ...others,
        ],
      });
      const records = await store.source.load();
      const at = Date.parse(ended_at);
      expect(records.keys.find(({ id }) => id === key?.['_id'])?.revokedAt).to.equal(at);
      const found = records.organizations.find(({ id }) => id === organization?.['_id']);
      expect(found?.suspendedAt).to.equal(at);
      const left =
        records.faults?.map(({ document }) => / column (\d+)$/.exec(document)?.[1]) ?? [];
      expect(left).to.have.length(2);
      expect(
        left.every((line) => Number(line) > 2 === isFirst),
        left.join(),
      ).to.equal(true);
      await store.close();
    });

  it('count a revocation that stands in a document which cannot be read, beside another with the same id', async () => {
    const store = await openFiles();
    const { api_keys, organizations } = readFixtures();
    const [key] = api_keys;
    const broken = { ...key, revoked_at: '2026-08-01T00:00:00Z', partner: 7 };
    for (const list of [
      [broken, ...api_keys],
      [...api_keys, broken],
    ]) {
      await store.write({ api_keys: list, organizations });
      const { keys } = await store.source.load();
      const found = keys.find(({ id }) => id === key?.['_id']);
      expect(found?.revokedAt).to.equal(Date.parse(broken.revoked_at));
    }
    await store.close();
  });
});
