import { expect } from 'chai';
import { formNames } from '../../adapters/forms/forms.ts';
import { createEmbeddedKeys } from '../../adapters/stores/embedded/keys.ts';
import { authenticate, buildKeyDirectory } from '../../src/keys/authenticate.ts';
import { readFixtures, type StoredDocument, type StoredDocuments } from '../support/documents.ts';
import { unissuedKey } from '../support/forms/form-keys.ts';
import { createDocumentFolder } from '../support/stores/document-folder.ts';

const openFiles = async () => {
  const { path, write, close } = await createDocumentFolder();
  return {
    path,
    source: createEmbeddedKeys(path, formNames, { sandbox: true }),
    write: ({ api_keys, organizations }: Pick<StoredDocuments, 'api_keys' | 'organizations'>) =>
      write({ api_keys, organizations }),
    close,
  };
};

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
      'invalid document ignored: another document with the same identifier is kept',
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

  it('are refused as unavailable, not as wrong, while there never was a key or an organization', async () => {
    const store = await openFiles();
    const { api_keys, organizations } = readFixtures();
    for (const empty of ['api_keys', 'organizations']) {
      await store.write({ api_keys, organizations, [empty]: [] });
      const directory = buildKeyDirectory(
        await createEmbeddedKeys(store.path, formNames, { sandbox: true }).load(),
      );
      const answer = authenticate(`Bearer ${unissuedKey}`, directory, true, 0);
      expect(answer).to.have.nested.property('problem.kind', 'unavailable');
    }
    await store.close();
  });

  it('ignore scopes that this version does not know, and report them', async () => {
    const store = await openFiles();
    const { api_keys, organizations } = readFixtures();
    const [key] = api_keys;
    await store.write({
      api_keys: [{ ...key, scopes: ['artists:read', 'charts:read'] }],
      organizations,
    });
    const { keys, faults = [] } = await store.source.load();
    expect(keys[0]?.scopes).to.deep.equal(['artists:read']);
    expect(faults.map(({ reason }) => reason.split(':')[0])).to.deep.equal(['scopes.1']);
    await store.close();
  });
});
