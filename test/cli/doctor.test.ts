import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Finding } from '../../adapters/cli/doctor/finding.ts';
import { judgeClock, judgeMongo, judgeNode } from '../../adapters/cli/doctor/judge.ts';
import { createMongoIndexes } from '../../adapters/stores/mongodb/indexes.ts';
import { useCleanup } from '../support/cleanup.ts';
import { examine } from '../support/cli/examine.ts';
import { artistDocuments } from '../support/cli/input-folder.ts';
import { keyDocument, useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import type { Settings } from '../support/cli/run.ts';

const dayMs = 86_400_000;

describe('artist-gateway doctor', () => {
  const cleanup = useCleanup(after);
  const operator = useOperatorEnvironment({ redis: true });
  const configureRedis = async (settings: Settings) => {
    for (const words of Object.entries(settings)) await operator.redis?.command('CONFIG', 'SET', ...words);
  };
  const examineStores = (more: Settings = {}) => examine({ ...operator.settings, ...more });

  before(async () => {
    await configureRedis({ appendonly: 'yes', 'maxmemory-policy': 'noeviction' });
    await createMongoIndexes(operator.db).create();
    await operator.collection('artists').insertOne({ ...artistDocuments(1)[0], _id: 'doc', updated_at: new Date() });
    await operator.collection('organizations').insertOne({ _id: 'acme', name: 'Acme Music' });
    await operator.collection('api_keys').insertOne(keyDocument({ id: 'key1' }));
  });

  it('prints a line for each check, and fails none where everything is well', async () => {
    const found = await examineStores();
    const expected: Readonly<Record<string, RegExp>> = {
      settings: /^ok: valid$/,
      mongodb: /^ok: reachable$/,
      'mongodb rights': /^ok: reads all collections, writes usage$/,
      indexes: /^ok: complete$/,
      'mongodb clock': /^(ok: 0\.\d s (behind|ahead of) this machine|note: unknown)$/,
      catalogue: /^ok: last changed \d+ s ago$/,
      keys: /^ok: 1 of 1 accepted$/,
      organizations: /^ok: every key has one$/,
      'expiring keys': /^ok: none within 30 days$/,
      quotas: /^ok: none of 0$/,
      redis: /^ok: reachable$/,
      'redis rights': /^ok: counts and refunds$/,
      'redis policy': /^ok: noeviction$/,
      'redis persistence': /^ok: counts survive a restart$/,
      'redis clock': /^ok: 0\.\d s (behind|ahead of) this machine$/,
    };
    for (const [check, text] of Object.entries(expected)) expect(found.get(check), check).to.match(text);
    expect([...found.keys()]).to.have.members(['node', ...Object.keys(expected)]);
  });

  it('names a STATE_DIR that cannot be written, and none that the gateway can make', async () => {
    const folder = await cleanup.makeFolder('state');
    const file = join(folder, 'file');
    await writeFile(file, '');
    const state = async (path: string) => (await examineStores({ STATE_DIR: path })).get('state');
    expect(await state(folder)).to.equal(`ok: ${folder} can be written`);
    const open = join(folder, 'open');
    await mkdir(open);
    await chmod(open, 0o770);
    expect(await state(open)).to.match(/^mend: .*open: other users may write to it\. Run "chmod go-w /);
    expect(await state(join(folder, 'later'))).to.equal(`note: ${join(folder, 'later')} does not exist`);
    expect(await state(file)).to.equal(`mend: ${file} is a file`);
    expect(await state(join(file, 'state'))).to.match(/^mend: ENOTDIR: /);
  });

  it('names what must be mended in both stores, and what to look at', async () => {
    await operator
      .collection('artists')
      .updateOne({ _id: 'doc' }, { $set: { updated_at: new Date(Date.now() - 9 * dayMs) } });
    await operator
      .collection('api_keys')
      .insertMany([
        keyDocument({ id: 'lost', organizationId: 'nobody' }),
        keyDocument({ id: 'soon', expiresAt: Date.now() + 10.5 * dayMs }),
      ]);
    await configureRedis({ appendonly: 'no', 'maxmemory-policy': 'allkeys-lru' });
    const found = await examineStores();
    expect(found.get('catalogue')).to.equal('note: last changed 9 d ago');
    expect(found.get('organizations')).to.equal('mend: keys without one: lost (nobody)');
    expect(found.get('expiring keys')).to.equal('note: soon in 10 d');
    expect(found.get('redis policy')).to.equal('mend: allkeys-lru: counts may be evicted');
    expect(found.get('redis persistence')).to.equal('note: off: quotas start at 0 after a restart');
  });

  it('names an empty database, and a user of Redis without the rights it needs', async () => {
    await operator.redis?.command('ACL', 'SETUSER', 'poor', 'on', '>pass', '~*', '+@all', '-@scripting', '-config');
    const found = await examineStores({
      MONGODB_URL: operator.settings['MONGODB_URL']?.replace('gateway_cli', 'gateway_empty') ?? '',
      REDIS_URL: operator.redis?.url().replace('//', '//poor:pass@') ?? '',
    });
    expect(found.get('indexes')).to.match(/^mend: missing: artists\.stable_id, .*history\.series/);
    expect(found.get('catalogue')).to.equal('mend: there is no artist');
    expect(found.get('redis rights')).to.match(/^mend: Redis: NOPERM /);
    expect(found.get('redis policy')).to.equal('note: not readable');
    expect(found.get('redis persistence')).to.equal('note: not readable');
  });

  it('names stores that cannot be reached, without a password', async () => {
    const away = { MONGODB_URL: 'mongodb://o:pa55@127.0.0.1:1/x', REDIS_URL: 'redis://:pa55@127.0.0.1:1' };
    const found = await examineStores(away);
    expect(found.get('mongodb')).to.equal('mend: connection refused (127.0.0.1:1)');
    expect(found.get('redis')).to.equal('mend: connection refused (127.0.0.1:1)');
    expect([...found.values()].join()).not.to.include('pa55');
  });

  it('names a setting that is wrong, and a sandbox', async () => {
    expect((await examineStores({ PORT: 'http' })).get('settings')).to.match(/^mend: PORT is "http": /);
    const otherScheme = await examineStores({ MONGODB_URL: 'http://db/gateway' });
    expect(otherScheme.get('settings')).to.match(/^mend: MONGODB_URL is not usable: it must be a mongodb:/);
    expect((await examine({})).get('settings')).to.match(/^note: Sandbox, /);
  });

  const wellMongo = {
    ...{ unreadable: [], unwritable: [], unlisted: [], missingIndexes: [] },
    ...{ clockAheadMs: 0, newestChange: 0, records: { keys: [], organizations: [] } },
  };
  const mongo = (check: string, found: Partial<Parameters<typeof judgeMongo>[0]>): Finding | undefined =>
    judgeMongo({ ...wellMongo, ...found }, 0).find((finding) => finding.check === check);

  const judged: Readonly<Record<string, readonly [Finding | undefined, RegExp]>> = {
    'a user of MongoDB that cannot write': [
      mongo('mongodb rights', { unwritable: ['usage (not authorized)'] }),
      /^mend: cannot write usage \(not authorized\) → grant the user insert and update there$/,
    ],
    'a user of MongoDB that cannot read': [
      mongo('mongodb rights', { unreadable: ['labels (not authorized)'] }),
      /^mend: cannot read labels \(not authorized\) → grant the user find$/,
    ],
    'a clock that is 3 s behind': [judgeClock('clock', -3_000), /^mend: 3\.0 s behind this machine → synchronise both/],
    'a clock that is unknown': [
      judgeClock('clock', undefined),
      /^note: unknown → compare it with the machine's by hand$/,
    ],
    'Node 20.18': [judgeNode('v20.18.3'), /^mend: v20\.18\.3 → install Node 20\.19 or later$/],
    'Node 20': [judgeNode('v20.20.2'), /^note: v20\.20\.2, without security fixes → use Node 22 or later$/],
    'Node 22': [judgeNode('v22.11.0'), /^ok: v22\.11\.0$/],
  };
  for (const [what, [finding, text]] of Object.entries(judged)) {
    it(`judges ${what}`, () => {
      const said = [finding?.found, finding?.advice].filter(Boolean).join(' → ');
      expect(`${finding?.state}: ${said}`).to.match(text);
    });
  }
});
