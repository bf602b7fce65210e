import { expect } from 'chai';
import type { Document } from 'mongodb';
import { keyIdIn } from '../../src/keys/key-format.ts';
import type { ListedKey } from '../../tools/cli/policy.ts';
import type { UsageRow } from '../../tools/cli/usage/rows.ts';
import { useCleanup } from '../support/cleanup.ts';
import { examine } from '../support/cli/examine.ts';
import {
  expectRefusal,
  expectUsageError,
  useOperatorEnvironment,
} from '../support/cli/operator-environment.ts';
import { runWarm } from '../support/cli/warm-command.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';

const day = 86_400_000;

describe('a command that ends access', () => {
  const operator = useOperatorEnvironment({ settings: { FIXED_NOW: '2026-08-22T12:00:00Z' } });
  const gateways = useCleanup(afterEach);
  let gateway: TestGateway;
  let key: { readonly id: string; readonly text: string };

  const runAt = (now: string, ...args: string[]) =>
    runWarm({ ...operator.settings, FIXED_NOW: now }, args);
  const status = async (text = key.text) => {
    await gateway.gateway.keys.refresh();
    return (await gateway.get('/api/v1/artists?limit=1', text)).status;
  };
  const write = (collection: string, _id: string, change: Document) =>
    operator.collection(collection).updateOne({ _id }, { $set: change });
  const stored = async (id: string): Promise<Document> =>
    (await operator.collection('api_keys').findOne({ _id: id })) ?? {};
  const listed = () => operator.json<readonly ListedKey[]>('keys list');
  const because = ['--yes', '--reason', 'leaked'];

  beforeEach(async () => {
    for (const name of ['organizations', 'api_keys', 'key_log'])
      await operator.collection(name).deleteMany({});
    await operator.done('organizations set acme --name', 'Acme Music');
    key = await operator.issue('variant');
    gateway = gateways.add(await createTestGateway({ keys: operator.database.keys }), ({ close }) =>
      close(),
    );
    expect(await status()).to.equal(200);
  });

  it('says how long it takes where KEYS_REFRESH_SECONDS is another', async () => {
    const settings = { ...operator.settings, KEYS_REFRESH_SECONDS: '60' };
    const { stderr } = await runWarm(settings, ['keys', 'revoke', key.id, ...because]);
    expect(stderr).to.include('gateways refuse it within 61 seconds.');
  });

  it('revokes a key whose document cannot be read, which gateways still serve', async () => {
    await write('api_keys', key.id, { sunset: 'soon' });
    expect(await status()).to.equal(200);
    const listing = await operator.run('keys list');
    expect(listing.stdout).to.match(new RegExp(`^${key.id}\t.*\tunreadable\t\t\t$`, 'm'));
    expect(await operator.json('keys list --expires-within 30d')).to.deep.equal([]);
    const again = await operator.json(`keys revoke ${key.id} --yes --reason leaked`);
    expect(again).to.include({ id: key.id, state: 'revoked' });
    expect((await operator.run('keys list')).stdout).to.match(
      new RegExp(`^${key.id}\t.*\trevoked\t\t\t$`, 'm'),
    );
    expect(await status()).to.equal(401);
    expect(await stored(key.id)).to.deep.include({
      sunset: 'soon',
      revoked_at: new Date('2026-08-22T12:00:00Z'),
    });
    const log = await operator.done(`keys log --key ${key.id}`);
    expect(log).to.match(/\tkeys revoke\t.*\tleaked\trevoked_at: – → \d{4}-\S+Z$/m);
    expectRefusal(
      await operator.run(`keys revoke ${key.id}`),
      /^Key \w+ has been revoked since .*: nothing was changed\.$/,
    );
  });

  it('refuses every other change of such a key, and says which member and what to do', async () => {
    await write('api_keys', key.id, { sunset: 'soon' });
    const advice = new RegExp(
      `^${key.id} cannot be read \\(sunset: .*\\): correct its document, or end it with "artist-gateway keys revoke ${key.id}"\\.$`,
    );
    for (const words of [
      'show K',
      'rotate K --overlap 1s',
      'set K --partner P',
      'pin K --form current --reason r',
    ])
      expectRefusal(await operator.run(`keys ${words.replace('K', key.id)}`), advice);
    expectRefusal(await operator.run(`migration report ${key.id}`), advice);
    expect(await operator.collection('key_log').countDocuments({})).to.equal(2);
  });

  it('says of such a key that it is revoked, and not how to revoke it', async () => {
    await write('api_keys', key.id, { sunset: 'soon' });
    await operator.done(`keys revoke ${key.id} --yes --reason leaked`);
    expectRefusal(
      await operator.run(`keys show ${key.id}`),
      new RegExp(
        `^${key.id} is revoked, and cannot be read \\(sunset: .*\\): correct its document\\.$`,
      ),
    );
  });

  it('ends such a key when it is rotated without overlap, and says that it has no successor', async () => {
    await write('api_keys', key.id, { sunset: 'soon' });
    expectRefusal(
      await operator.run(`keys rotate ${key.id} --overlap 0s`),
      /^Key \w+ is revoked: gateways refuse it within 5 seconds\. .* it has no successor: issue a key instead\.$/,
    );
    expect(await status()).to.equal(401);
    expectRefusal(await operator.run(`keys rotate ${key.id} --overlap 0s`), /cannot be read/);
    expect(await operator.collection('api_keys').countDocuments({})).to.equal(1);
  });

  it('ends a rotated key in its overlap when it is rotated without one, and names its successor', async () => {
    const successor = (await operator.done(`keys rotate ${key.id} --overlap 7d`)).trim();
    expect([await status(), await status(successor)]).to.deep.equal([200, 200]);
    const again = () => operator.run(`keys rotate ${key.id} --overlap 0s --reason leaked`);
    const id = keyIdIn(successor);
    expectRefusal(
      await again(),
      new RegExp(
        `^Key ${key.id} is revoked: gateways refuse it within 5 seconds\\. ${id} replaces it already\\.$`,
      ),
    );
    expect([await status(), await status(successor)]).to.deep.equal([401, 200]);
    const log = await operator.done(`keys log --key ${key.id}`);
    expect(log).to.match(/\tkeys rotate\t.*\tleaked\trevoked_at: – → \d{4}-\S+Z$/m);
    expectRefusal(
      await again(),
      new RegExp(`^Key ${key.id} has been revoked since .*: ${id} replaces it\\.$`),
    );
    expect(await operator.collection('api_keys').countDocuments({})).to.equal(2);
  });

  it('names the key that is left when its successor is revoked', async () => {
    const { id: first } = await operator.issue('current', '--expires', '365d');
    const rotated = await operator.run(`keys rotate ${first} --overlap 7d`);
    const second = keyIdIn(rotated.stdout.trim()) ?? 'no key';
    const revoked = await operator.run(`keys revoke ${second} --yes --reason lost`);
    expect(revoked.stderr).to.equal(
      `Key ${second} is revoked: gateways refuse it within 5 seconds.\n` +
        `Key ${first}, which it replaced, is valid until 2026-08-29T12:00:00.000Z and is not reported as expiring: issue a key for its partner before.\n`,
    );
    expect(await operator.json('keys list --expires-within 400d')).to.deep.equal([]);
    expectRefusal(
      await operator.run(`keys rotate ${first} --overlap 0s`),
      /^Key \w+ is revoked: .* It was rotated\. Key \w+ has been revoked since \S+, too: issue a key instead\.$/,
    );
  });

  it('rotates no key for a successor that would expire before the overlap ends', async () => {
    expectUsageError(
      await operator.run(`keys rotate ${key.id} --overlap 30d --expires 7d`),
      /^The successor would expire at 2026-08-29T12:00:00\.000Z, before \w+ at 2026-09-21T12:00:00\.000Z: give a later --expires or a shorter --overlap\.$/,
    );
    expect(await operator.collection('api_keys').countDocuments({})).to.equal(1);
    await operator.done(`keys rotate ${key.id} --overlap 7d --expires 7d`);
  });

  it('says that the overlap is shorter where the rotated key expires before', async () => {
    const { id } = await operator.issue('current', '--expires', '7d');
    const { code, stderr } = await operator.run(`keys rotate ${id} --overlap 30d`);
    expect(code, stderr).to.equal(0);
    expect(stderr).to.include(
      ` replaces ${id}, which is valid until 2026-08-29T12:00:00.000Z, not for the whole overlap: it expires then anyway.`,
    );
  });

  it('revokes a key whose organization is missing, and lists it as revoked', async () => {
    await operator.collection('organizations').deleteMany({});
    expect((await listed()).map(({ state }) => state)).to.deep.equal(['no organization']);
    expect(await operator.json(`keys revoke ${key.id} --yes --reason leaked`)).to.include({
      state: 'revoked',
    });
    expect((await listed()).map(({ state }) => state)).to.deep.equal(['revoked']);
    expect(await operator.json('usage')).to.deep.equal([]);
  });

  it('suspends an organization whose document cannot be read, and creates none over it', async () => {
    await write('organizations', 'acme', { name: 7 });
    expect(await status()).to.equal(200);
    const advice =
      /^acme cannot be read \(name: .*\): correct its document, or end it with "artist-gateway organizations suspend acme"\.$/;
    const changes = ['organizations set acme --name Acme', 'organizations resume acme'];
    for (const words of [...changes, 'migration report acme'])
      expectRefusal(await operator.run(words), advice);
    const issued = ['--form', 'current', '--partner', 'P', '--scopes', 'artists:read'];
    expectRefusal(await operator.run('keys issue --organization acme', ...issued), advice);
    expect(await operator.collection('key_log').countDocuments({})).to.equal(2);
    expect((await listed()).map(({ id, state }) => [id, state])).to.deep.equal([
      [key.id, 'unreadable'],
    ]);
    expect((await examine(operator.settings)).get('organizations')).to.equal(
      'ok: every key has an organization',
    );
    expect((await examine(operator.settings)).get('keys')).to.match(
      /^fail: none of 1 is accepted: 1 unreadable/,
    );
    const row = { id: 'acme', keys: 1, unreadable: true };
    expect(await operator.json('organizations list')).to.deep.equal([row]);
    expect((await operator.run('organizations list')).stdout).to.match(
      /^acme\t\t1\t\t\tunreadable$/m,
    );
    const usage = () => operator.json<readonly UsageRow[]>('usage');
    expect((await usage()).map(({ key_id, state }) => [key_id, state])).to.deep.equal([
      [key.id, 'unreadable'],
    ]);
    const suspended = await operator.json('organizations suspend acme --yes --reason unpaid');
    expect(suspended).to.deep.equal({ ...row, suspended_at: '2026-08-22T12:00:00.000Z' });
    expect(await operator.json('organizations list')).to.deep.equal([suspended]);
    expect((await usage()).map(({ state }) => state)).to.deep.equal(['suspended']);
    for (const words of changes)
      expectRefusal(
        await operator.run(words),
        /^acme is suspended, and cannot be read \(name: .*\): correct its document\.$/,
      );
    expect(await status()).to.equal(401);
    expect((await listed()).map(({ state }) => state)).to.deep.equal(['suspended']);
    expectRefusal(
      await operator.run('organizations suspend acme'),
      /^acme has been suspended since /,
    );
  });

  it('names the successor of a rotated key, which is expiring nowhere and is not rotated again', async () => {
    await operator.done(`keys revoke ${key.id} --yes --reason planted`);
    for (const lifetime of ['never', '365d']) {
      const { id, text } = await operator.issue('current', '--expires', lifetime);
      const rotatedAt = '2026-08-23T12:00:00Z';
      const first = await runAt(rotatedAt, 'keys', 'rotate', id, '--overlap', '7d');
      const successor = keyIdIn(first.stdout.trim()) ?? '';
      expect(first.stderr).to.include(
        `Key ${successor} replaces ${id}, which is valid until 2026-08-30T12:00:00.000Z.`,
      );
      const second = await runAt(rotatedAt, 'keys', 'rotate', id, '--overlap', '1h');
      expectRefusal(
        second,
        new RegExp(
          `^Key ${id} was rotated: ${successor} replaces it\\. Rotate that one, or end ${id} now with "artist-gateway keys revoke ${id}"\\.$`,
        ),
      );

      const { created_at, expires_at } = await stored(successor);
      const life = lifetime === 'never' ? undefined : 365 * day;
      expect(expires_at && Number(expires_at) - Number(created_at)).to.equal(life);
      const third = await runAt(
        '2027-01-01T00:00:00Z',
        'keys',
        'rotate',
        successor,
        '--overlap',
        '0s',
      );
      const last = await stored(keyIdIn(third.stdout.trim()) ?? '');
      expect(
        last['expires_at'] && Number(last['expires_at']) - Number(last['created_at']),
      ).to.equal(life);

      const shown = await operator.done(`keys show ${id}`);
      expect(shown).to.include(`replaced by\t${successor}\n`);
      const { stdout, stderr } = await operator.run('keys list');
      expect(stdout).to.match(
        new RegExp(`^${id}\t.*\tactive\t2026-08-30T12:00:00.000Z\t${successor}\t$`, 'm'),
      );
      expect(stderr).to.equal('');
      expect(await operator.json('keys list --expires-within 30d')).to.deep.equal([]);
      expect((await examine(operator.settings)).get('expiring keys')).to.equal(
        'ok: none within 30 days',
      );
      await gateway.gateway.keys.refresh();
      const { headers } = await gateway.get('/api/v1/artists?limit=1', text);
      expect(headers).to.include({ 'x-key-expires': 'Sun, 30 Aug 2026 12:00:00 GMT' });
    }
  });
});
