import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { formNames } from '../../adapters/forms/forms.ts';
import { createEmbeddedKeys } from '../../adapters/stores/embedded/keys.ts';
import { openMongo } from '../../adapters/stores/mongodb/connection.ts';
import { createMongoKeys } from '../../adapters/stores/mongodb/keys.ts';
import { insertDocuments, readFixtures } from '../support/documents.ts';
import { type MongoServer, startMongoServer } from '../support/mongo-server.ts';
import { describeKeyStore, type KeysUnderTest, type StoredKeys } from './keys.conformance.ts';

const openFiles = async (): Promise<KeysUnderTest> => {
  const folder = await mkdtemp(join(tmpdir(), 'artist-gateway-'));
  let writes = 0;
  return {
    source: createEmbeddedKeys(folder, formNames, { sandbox: true }),
    async write(documents: StoredKeys) {
      writes += 1;
      for (const name of ['api_keys', 'organizations'] as const) {
        const path = join(folder, `${name}.json`);
        await writeFile(path, JSON.stringify(documents[name]));
        await utimes(path, writes, writes); // two writes may share one tick of the file system's clock
      }
    },
    close: () => rm(folder, { recursive: true }),
  };
};

describeKeyStore('files', openFiles);

describe('with a MongoDB server', () => {
  let server: MongoServer;
  before(async () => {
    server = await startMongoServer();
  });
  after(() => server.stop());

  describeKeyStore('MongoDB', async () => {
    const { db, close } = openMongo(server.url(`gateway_${randomUUID().slice(0, 8)}`));
    return {
      source: createMongoKeys(db, formNames),
      write: ({ api_keys, organizations }) =>
        insertDocuments(db, { api_keys: [...api_keys], organizations: [...organizations] }),
      close,
    };
  });
});

describe('keys in files', () => {
  it('keep the first of two keys with the same id, and report the other', async () => {
    const store = await openFiles();
    const { api_keys, organizations } = readFixtures();
    await store.write({ api_keys: [...api_keys, { ...api_keys[0], partner: 'Another' }], organizations });
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
