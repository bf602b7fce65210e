import { expect } from 'chai';
import { formNames } from '../../adapters/forms/forms.ts';
import { createEmbeddedKeys } from '../../adapters/stores/embedded/keys.ts';
import { createMongoKeys } from '../../adapters/stores/mongodb/keys.ts';
import { authenticate, buildKeyDirectory } from '../../src/keys/authenticate.ts';
import { useStarted } from '../support/cleanup.ts';
import { insertDocuments, readFixtures } from '../support/documents.ts';
import { unissuedKey } from '../support/forms/form-keys.ts';
import { createDocumentFolder } from '../support/stores/document-folder.ts';
import { useMongo } from '../support/stores/mongo-database.ts';

const { api_keys, organizations } = readFixtures();
const [key = {}, ...keys] = api_keys;
const [organization = {}, ...others] = organizations;
const endedAt = '2026-08-01T00:00:00Z';
const at = Date.parse(endedAt);

// What changes between loads: last-good-keys.test.ts.
describe('keys in files', () => {
  const folder = useStarted(createDocumentFolder, ({ close }) => close(), true);
  const load = async (given: object) => {
    await folder.write({ api_keys, organizations, ...given });
    return createEmbeddedKeys(folder.path, formNames, { sandbox: true }).load();
  };
  const found = (list: readonly { readonly id: string }[], { _id: id }: typeof key) =>
    list.find((one) => one.id === id);

  it('keep the first of two keys with one id, and report the other', async () => {
    const records = await load({ api_keys: [...api_keys, { ...key, partner: 'Another' }] });
    expect(records.keys).to.have.length(api_keys.length);
    expect(found(records.keys, key)).to.include({ partner: key['partner'] });
    const [fault, ...more] = records.faults ?? [];
    expect(more).to.deep.equal([]);
    expect(fault).to.include({
      event: 'invalid document ignored',
      reason: 'another document with the same identifier is kept',
    });
    expect(fault?.document).to.match(/api_keys\.json line \d+ column \d+$/);
  });

  for (const isFirst of [true, false])
    it(`prefer a revoked key and a suspended organization ${isFirst ? 'before' : 'after'} another with the id`, async () => {
      const inOrder = <One>(one: One, ended: One): One[] => (isFirst ? [ended, one] : [one, ended]);
      const records = await load({
        api_keys: [...inOrder(key, { ...key, revoked_at: endedAt }), ...keys],
        organizations: [
          ...inOrder(organization, { ...organization, suspended_at: endedAt }),
          ...others,
        ],
      });
      expect(found(records.keys, key)).to.include({ revokedAt: at });
      expect(found(records.organizations, organization)).to.include({ suspendedAt: at });
      const columns = records.faults?.map(({ document }) => Number(document.split(' ').at(-1)));
      expect(columns?.map((column) => column > 2)).to.deep.equal([isFirst, isFirst]);
    });

  it('count the revocation in an unreadable document next to another with the id', async () => {
    const broken = { ...key, revoked_at: endedAt, partner: 7 };
    for (const list of [
      [broken, ...api_keys],
      [...api_keys, broken],
    ])
      expect(found((await load({ api_keys: list })).keys, key)).to.include({ revokedAt: at });
  });

  it('return 503, not 401, while there never was a key or an organization', async () => {
    for (const empty of ['api_keys', 'organizations']) {
      const directory = buildKeyDirectory(await load({ [empty]: [] }));
      const answer = authenticate(`Bearer ${unissuedKey}`, directory, true, 0);
      expect(answer).to.have.nested.property('problem.kind', 'unavailable');
    }
  });

  it('ignore unknown scopes, and report them', async () => {
    const scopes = ['artists:read', 'charts:read'];
    const records = await load({ api_keys: [{ ...key, scopes }] });
    expect(records.keys[0]?.scopes).to.deep.equal(['artists:read']);
    expect(records.faults?.map(({ reason }) => reason.split(':')[0])).to.deep.equal(['scopes.1']);
  });
});

describe('keys in MongoDB', () => {
  const mongo = useMongo();
  const load = () => createMongoKeys(mongo.db, formNames).load();

  it('omit demo keys, and report them without their text', async () => {
    await insertDocuments(mongo.db, { organizations });
    const { _id, ...demo } = key;
    await mongo.db.collection('api_keys').insertOne(demo);
    const { keys: loaded, unreadable, faults } = await load();
    expect([loaded, unreadable]).to.deep.equal([[], []]);
    expect(faults).to.have.length(1);
    expect(JSON.stringify(faults)).not.to.include(String(key['demo_key']));
  });

  it('are parsed again only if a byte of them has changed', async () => {
    await insertDocuments(mongo.db, { api_keys, organizations });
    const source = createMongoKeys(mongo.db, formNames);
    const reads = async (): Promise<number> => {
      mongo.finds.length = 0;
      await source.load();
      return mongo.finds.filter(({ find }) => find === 'api_keys').length;
    };
    expect([await reads(), await reads()]).to.deep.equal([1, 1]);
    await mongo.db.collection('api_keys').updateMany({}, { $set: { warning: 'not read' } });
    expect([await reads(), await reads()]).to.deep.equal([2, 1]);
  });

  it('are reported if their organization is unknown', async () => {
    await insertDocuments(mongo.db, { api_keys: [key] });
    expect(JSON.stringify((await load()).faults)).to.include('there is no organization');
  });
});
