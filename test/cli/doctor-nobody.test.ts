import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createMongoIndexes } from '../../adapters/stores/mongodb/indexes.ts';
import { touchCopy, writeCopy } from '../../adapters/stores/state/copy-file.ts';
import { useCleanup } from '../support/cleanup.ts';
import { examine } from '../support/cli/examine.ts';
import { artistDocuments } from '../support/cli/input-folder.ts';
import { keyDocument, useOperatorEnvironment } from '../support/cli/operator-environment.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

describe('artist-gateway doctor, over a gateway that serves nobody', () => {
  const cleanup = useCleanup(after);
  const operator = useOperatorEnvironment();

  const look = (more = {}) => examine({ ...operator.settings, ...more }, { withAdvice: true });
  const lineOf = async (check: string) => (await look()).get(check);

  const addKey = (id: string, given: Parameters<typeof keyDocument>[0] = {}) =>
    operator.collection('api_keys').insertOne(keyDocument({ id, createdAt: Date.now() - 3 * hourMs, ...given }));
  const addOrganization = (members: object = {}) =>
    operator.collection('organizations').insertOne({ _id: 'acme', name: 'Acme Music', ...members });

  before(async () => {
    await createMongoIndexes(operator.db).create();
  });
  beforeEach(async () => {
    for (const name of ['artists', 'api_keys', 'organizations']) await operator.collection(name).deleteMany({});
    await operator.collection('artists').insertOne({ ...artistDocuments(1)[0], _id: 'doc', updated_at: new Date() });
  });

  it('names a database without artists, keys and organizations, and what to run', async () => {
    await operator.collection('artists').deleteMany({});
    const found = await look();
    for (const [check, one, command] of [
      ['catalogue', 'artist', 'catalogue import'],
      ['keys', 'key', 'keys issue --organization ID …'],
      ['organizations', 'organization', 'organizations set ID --name …'],
    ] as const)
      expect(found.get(check)).to.equal(
        `mend: there is no ${one} → run "artist-gateway ${command}", or correct MONGODB_URL`,
      );
  });

  it('names keys of which none is accepted, and why', async () => {
    await addOrganization({ suspended_at: new Date(Date.now() - hourMs) });
    await addKey('suspended1');
    await addKey('expired1', { expiresAt: Date.now() - hourMs });
    await addKey('revoked1', { revokedAt: Date.now() - hourMs });
    await addKey('lost1', { organizationId: 'nobody' });
    const [, why = ''] =
      /^mend: none of 4 is accepted: (.+) → run ".*keys issue/.exec((await lineOf('keys')) ?? '') ?? [];
    expect(why.split(', ')).to.have.members(['1 suspended', '1 expired', '1 revoked', '1 no organization']);
  });

  it('names keys of which none can be read', async () => {
    await addOrganization();
    await addKey('broken1', { hash: 'none' });
    expect(await lineOf('keys')).to.equal('mend: none of 1 can be read → correct the documents that the log names');
    await addKey('good1');
    expect(await lineOf('keys')).to.equal(
      'note: cannot be read: broken1 → correct the documents that "keys list" names, or revoke them',
    );
  });

  it('names keys that all expire within a day, and only notes them while one does not', async () => {
    await addOrganization();
    await addKey('soon1', { expiresAt: Date.now() + 20 * hourMs });
    expect(await lineOf('keys')).to.equal(
      'mend: every accepted key expires within a day → run "artist-gateway keys rotate KEY --overlap 7d"',
    );
    await operator.collection('api_keys').updateOne({ _id: 'soon1' }, { $set: { replaced_by: 'gone1' } });
    expect(await lineOf('keys')).to.match(/^mend: every accepted key expires within a day → run ".*keys issue/);
    await addKey('later1', { expiresAt: Date.now() + 2 * dayMs });
    expect(await lineOf('keys')).to.equal('ok: 2 of 2 accepted');
  });

  it('names a form of which every key has a quota of 0, and only notes such a key beside another', async () => {
    await addOrganization({ quota: { per_day: 0 } });
    await addKey('current1');
    await addKey('variant1', { form: 'variant', perHour: 0 });
    const advice = 'raise it with "artist-gateway organizations set" or "keys set"';
    expect(await lineOf('quotas')).to.equal(`mend: 0 for every key of the current and variant form → ${advice}`);
    await operator.collection('organizations').updateOne({ _id: 'acme' }, { $unset: { quota: 1 } });
    expect(await lineOf('quotas')).to.equal(`mend: 0 for every key of the variant form → ${advice}`);
    await addKey('variant2', { form: 'variant' });
    expect(await lineOf('quotas')).to.equal(`note: 0 for variant1 → ${advice}`);
  });

  it('names copies in STATE_DIR that are older than they may be served, or cannot be used', async () => {
    await addOrganization();
    await addKey('current1');
    const folder = join(await cleanup.makeFolder('state'), 'state');
    await mkdir(folder);
    const write = (unit: string, ageMs: number) =>
      writeCopy(join(folder, `${unit}.copy`), { unit, source: 's', program: '1' }, Date.now() - ageMs, []);
    await write('keys', 3 * hourMs);
    await write('catalogue', minuteMs);
    const found = await look({ STATE_DIR: folder });
    expect(found.get('state')).to.equal(`ok: ${folder} can be written`);
    expect(found.get('copy of keys')).to.equal(
      'mend: as of 3 h ago, served for 5m → start the gateway, or find "copy not written" or "refresh failed" in its log',
    );
    expect(found.get('copy of catalogue')).to.equal('ok: as of 1 min ago');
    await touchCopy(join(folder, 'keys.copy'), Date.now() - minuteMs);
    expect((await look({ STATE_DIR: folder })).get('copy of keys')).to.equal('ok: as of 1 min ago');
    await writeFile(join(folder, 'catalogue.copy'), 'cut off\n');
    expect((await look({ STATE_DIR: folder })).get('copy of catalogue')).to.equal(
      'mend: not a copy file → delete it: the gateway writes it again',
    );
  });
});
