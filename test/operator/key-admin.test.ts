import { expect } from 'chai';
import { formNames } from '../../adapters/forms/forms.ts';
import type { DocumentStore } from '../../adapters/stores/database.ts';
import { keyMembers, organizationMembers } from '../../adapters/stores/documents/key-documents.ts';
import { createMongoDocuments } from '../../adapters/stores/mongodb/documents.ts';
import { createAuditLog } from '../../tools/operator/audit-log.ts';
import { createKeyAdmin, type KeyAdmin } from '../../tools/operator/key-admin.ts';
import { buildKey, buildOrganization } from '../support/builders.ts';
import { useMongo } from '../support/stores/mongo-database.ts';
import { rejectionOf } from '../support/wait.ts';

const entry = {
  at: Date.parse('2026-08-22T12:00:00Z'),
  actor: 'eve',
  action: 'test',
  reason: 'because',
};
const { record } = buildKey({ id: 'k1', organizationId: 'acme' });
const organization = buildOrganization({ id: 'acme' });
const notWritten = 'not written: another change came before it';

/** What another operator or program does to the key. */
const changes: Readonly<Record<string, object>> = {
  'revokes it': { revoked_at: new Date() },
  'takes a scope': { scopes: ['artists:read'] },
  'moves it': { form: 'variant' },
  'rotates it': { replaced_by: 'k2', expires_at: new Date('2026-08-23') },
  'lets it use X-Envelope': { allow_envelope_override: true },
  'makes it unreadable': { sunset: 'soon' },
};

/** Removes every field of a key except a field outside the format. */
const keyless = () => ({
  ...Object.fromEntries(
    ['hash', ...Object.keys(keyMembers(record))].map((member) => [member, undefined]),
  ),
  odd: 7,
});

describe('changes of keys and organizations', () => {
  const mongo = useMongo();
  let documents: DocumentStore;
  let admin: KeyAdmin;
  /** Runs after the plan of a change, before its write. */
  let beforeWrite: () => Promise<unknown>;

  beforeEach(async () => {
    documents = createMongoDocuments(mongo.db);
    beforeWrite = async () => {};
    const held: DocumentStore = {
      ...documents,
      async update(collection, updates) {
        await beforeWrite();
        return documents.update(collection, updates);
      },
      async insert(collection, document) {
        await beforeWrite();
        return documents.insert(collection, document);
      },
    };
    admin = createKeyAdmin(held, createAuditLog(documents), formNames);
    await documents.insert('api_keys', { _id: 'k1', hash: record.hash, ...keyMembers(record) });
    await documents.insert('organizations', {
      _id: 'acme',
      ...organizationMembers(organization),
    });
  });

  const stored = async (collection: string, id: string) => {
    for await (const document of documents.find(collection, { where: { _id: [id] } }))
      return document;
    return undefined;
  };
  const log = async () =>
    (await createAuditLog(documents).read({ limit: 100 })).map(({ reason }) => reason);

  const conflict =
    /^(k1|acme) was changed or removed by another command: this change was not written/;
  const rename = () => rejectionOf(admin.replaceKey(record, { ...record, partner: 'Q' }, entry));

  for (const [what, document] of Object.entries(changes)) {
    const change = () => documents.update('api_keys', [{ _id: 'k1', document: { ...document } }]);

    it(`writes nothing and no record if another operator ${what} before`, async () => {
      await change();
      const before = await stored('api_keys', 'k1');
      expect(await rename()).to.match(conflict);
      expect(await stored('api_keys', 'k1')).to.deep.equal(before);
      expect(await log()).to.deep.equal([]);
    });

    it(`writes nothing and a second record if another operator ${what} at the same time`, async () => {
      beforeWrite = change;
      expect(await rename()).to.match(conflict);
      expect(await stored('api_keys', 'k1')).to.include({ partner: record.partner });
      expect(await log()).to.deep.equal(['because', notWritten]);
    });
  }

  it('ends the successor of a key that another operator rotated', async () => {
    const previous = { ...record, replacedBy: 'k3' };
    const successor = { ...record, id: 'k3' };
    beforeWrite = () =>
      documents.update('api_keys', [{ _id: 'k1', document: { replaced_by: 'k2' } }]);
    const failure = await rejectionOf(admin.rotateKey(record, { previous, successor }, entry));
    expect(failure).to.match(conflict);
    expect(await stored('api_keys', 'k1')).to.include({ replaced_by: 'k2' });
    expect(await stored('api_keys', 'k3')).to.deep.include({ revoked_at: new Date(entry.at) });
    expect(await log()).to.have.members([
      'successor of k1: because',
      'k1 was changed by another command, and not rotated',
    ]);
  });

  it('keeps changes of members outside the format', async () => {
    beforeWrite = () => documents.update('api_keys', [{ _id: 'k1', document: { crm: 'x' } }]);
    expect(await admin.replaceKey(record, { ...record, partner: 'Other' }, entry)).to.equal(true);
    expect(await stored('api_keys', 'k1')).to.include({ partner: 'Other', crm: 'x' });
  });

  it('writes nothing over an organization that was suspended, renamed or removed', async () => {
    const organizations = { suspended_at: new Date() };
    const hands = [
      () => documents.update('organizations', [{ _id: 'acme', document: organizations }]),
      () => documents.update('organizations', [{ _id: 'acme', document: { name: 'Other' } }]),
      () => documents.remove('organizations', [{ _id: 'acme' }]),
    ];
    for (const hand of hands) {
      await documents.remove('organizations', [{ _id: 'acme' }]);
      const members = { _id: 'acme', ...organizationMembers(organization) };
      await documents.insert('organizations', members);
      beforeWrite = hand;
      const after = { ...organization, perDay: 5 };
      expect(await rejectionOf(admin.replaceOrganization(organization, after, entry))).to.match(
        conflict,
      );
    }
    expect(await stored('organizations', 'acme')).to.equal(undefined);
  });

  it('rejects a taken id; a simultaneous insert leaves two log entries', async () => {
    expect(await rejectionOf(admin.insertKey(record, entry))).to.match(
      /^k1 is already taken: nothing was changed/,
    );
    expect(await rejectionOf(admin.insertOrganization(organization, entry))).to.match(
      /^acme is already taken/,
    );
    expect(await log()).to.deep.equal([]);
    const other = { ...record, id: 'k2' };
    beforeWrite = () => documents.insert('api_keys', { _id: 'k2' });
    expect(await rejectionOf(admin.insertKey(other, entry))).to.match(/^k2 is already taken/);
    expect(await log()).to.deep.equal(['because', notWritten]);
  });

  it('ends access in an unreadable document, once, and only if it still exists', async () => {
    await documents.update('api_keys', [
      { _id: 'k1', document: { ...keyless(), revoked_at: null } },
    ]);
    const [one, other] = [await admin.keyAccess('k1'), await admin.keyAccess('k1')];
    expect(one).to.include({ name: undefined, organizationId: undefined, ended: undefined });
    await one?.end(entry);
    expect(await stored('api_keys', 'k1')).to.deep.equal({
      _id: 'k1',
      odd: 7,
      revoked_at: new Date(entry.at),
    });
    expect(await rejectionOf(Promise.resolve(other?.end(entry)))).to.match(conflict);
    expect((await admin.keyAccess('k1'))?.ended).to.equal('2026-08-22T12:00:00.000Z');
    expect(await admin.keyAccess('k2')).to.equal(undefined);

    await documents.update('organizations', [
      { _id: 'acme', document: { name: 7, suspended_at: true } },
    ]);
    expect((await admin.organizationAccess('acme'))?.ended).to.equal('a time that cannot be read');
    await documents.update('organizations', [
      { _id: 'acme', document: { suspended_at: undefined } },
    ]);
    const organizationAccess = await admin.organizationAccess('acme');
    await documents.remove('organizations', [{ _id: 'acme' }]);
    expect(await rejectionOf(Promise.resolve(organizationAccess?.end(entry)))).to.match(conflict);
  });
});
