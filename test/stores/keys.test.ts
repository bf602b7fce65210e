import { expect } from 'chai';
import { formNames } from '../../adapters/forms/forms.ts';
import { createEmbeddedKeys } from '../../adapters/stores/embedded/keys.ts';
import { createMongoKeys } from '../../adapters/stores/mongodb/keys.ts';
import { insertDocuments, readFixtures } from '../support/documents.ts';
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
});
