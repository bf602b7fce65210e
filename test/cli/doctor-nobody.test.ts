import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { createMongoIndexes } from '../../adapters/stores/mongodb/indexes.ts';
import { createMongoUsage } from '../../adapters/stores/mongodb/usage.ts';
import { writeCopy } from '../../adapters/stores/state/copy-file.ts';
import { useCleanup } from '../support/cleanup.ts';
import { examine } from '../support/cli/examine.ts';
import { artistDocuments } from '../support/cli/input-folder.ts';
import { keyDocument, useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import { inTwoSeconds, openReadyRedisQuotas } from '../support/redis-quotas.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

describe('artist-gateway doctor, over a gateway that serves nobody', () => {
  const cleanup = useCleanup(after);
  const operator = useOperatorEnvironment({ redis: true });

  const look = (more = {}) =>
    examine({ ...operator.settings, USAGE_FLUSH_SECONDS: '0.1', ...more }, { withAdvice: true });
  const lineOf = async (check: string) => (await look()).get(check);

  const addKey = (id: string, given: Parameters<typeof keyDocument>[0] = {}) =>
    operator.collection('api_keys').insertOne(keyDocument({ id, createdAt: Date.now() - 3 * hourMs, ...given }));
  const addOrganization = (members: object = {}) =>
    operator.collection('organizations').insertOne({ _id: 'acme', name: 'Acme Music', ...members });

  before(async () => {
    await createMongoIndexes(operator.db).create();
  });
  beforeEach(async () => {
    for (const name of ['artists', 'api_keys', 'organizations', 'usage_minutes', 'key_log'])
      await operator.collection(name).deleteMany({});
    await operator.collection('artists').insertOne({ ...artistDocuments(1)[0], _id: 'doc', updated_at: new Date() });
    await operator.redis?.command('FLUSHALL');
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
  });

  it('names keys that all expire within a day, and only notes them while one does not', async () => {
    await addOrganization();
    await addKey('soon1', { expiresAt: Date.now() + 20 * hourMs });
    expect(await lineOf('keys')).to.equal(
      'mend: every accepted key expires within a day → run "artist-gateway keys rotate KEY --overlap 7d"',
    );
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

  /** Requests of a key in the collection that gateways write, in the minute that an instant falls in. */
  const addUsage = (keyId: string, instant: number, requests: number) => {
    const hour = Math.floor(instant / hourMs) * hourMs;
    const minutes = new Map([[Math.floor((instant - hour) / minuteMs), { requests, refused: 0 }]]);
    const total = { id: `${keyId} ${instant}`, keyId, organizationId: 'acme', hour, requests, minutes };
    return createMongoUsage(operator.db).write({ days: [], hours: [total] });
  };
  /** Counts requests in Redis as a gateway does. */
  const consume = async (times: number) => {
    const { quotas, clock } = await openReadyRedisQuotas(operator.settings['REDIS_URL'] ?? '');
    const allowance = { subject: 'organization:acme', window: 'day', limit: 1000 } as const;
    for (let done = 0; done < times; done += 1) await quotas.consume([allowance], inTwoSeconds(clock));
    await quotas.close();
  };
  /** Always after the first minute of a day, which is not compared. */
  const inAMinute = () => Date.now() + minuteMs;

  it('names counts that Redis lost in the middle of a day, unless an operator reset them', async () => {
    await addOrganization();
    await addKey('current1');
    await addUsage('current1', inAMinute(), 40);
    await consume(40);
    expect(await lineOf('quota counts')).to.equal('ok: as many as in usage');
    await operator.redis?.command('FLUSHALL');
    await consume(3);
    expect(await lineOf('quota counts')).to.equal(
      'mend: 37 of 40 requests of the current windows are gone → ' +
        'find what emptied Redis: a restart without appendonly, eviction, another server',
    );
    await operator.done('quota reset acme --yes');
    expect(await lineOf('quota counts')).to.equal('ok: as many as in usage');
  });

  it('names usage that was not written for an hour although Redis counted requests', async () => {
    await addOrganization();
    await addKey('current1');
    await addUsage('current1', Date.now() - 2 * hourMs, 1);
    expect(await lineOf('usage')).to.equal('ok: newest request 2 h ago');
    await consume(5);
    expect(await lineOf('usage')).to.match(
      /^mend: newest request 2 h ago, but Redis counted [45] that usage lacks → check the rights and the disk of MongoDB\. /,
    );
    await addUsage('current1', Date.now() - 5 * minuteMs, 1);
    expect(await lineOf('usage')).to.match(/^ok: newest request [5-6] min ago$/);
  });

  it('waits for the next flush before it names requests that usage lacks', async () => {
    await addOrganization();
    await addKey('current1');
    await addUsage('current1', Date.now() - 2 * hourMs, 1);
    await consume(5);
    const looked = look({ USAGE_FLUSH_SECONDS: '2' });
    await wait(1_000); // the doctor has looked once
    await addUsage('current1', Date.now(), 4);
    expect((await looked).get('usage')).to.match(/^ok: newest request (\d+ s|1 min) ago$/);
  });

  it('names copies in STATE_DIR that are older than they may be served, or cannot be used', async () => {
    await addOrganization();
    await addKey('current1');
    const folder = join(await cleanup.makeFolder('state'), 'state');
    await mkdir(folder);
    const write = (unit: string, ageMs: number) =>
      writeCopy(join(folder, `${unit}.copy`), { unit, source: 's', program: '1', answeredAt: Date.now() - ageMs }, []);
    await write('keys', 3 * hourMs);
    await write('catalogue', minuteMs);
    const found = await look({ STATE_DIR: folder });
    expect(found.get('state')).to.equal(`ok: ${folder} can be written`);
    expect(found.get('copy of keys')).to.equal(
      'mend: as of 3 h ago, served for 5m → start the gateway, or find "copy not written" or "refresh failed" in its log',
    );
    expect(found.get('copy of catalogue')).to.equal('ok: as of 1 min ago');
    const checksum = await write('keys', 3 * hourMs);
    const stamp = { unit: 'keys', source: 's', program: '1', answeredAt: Date.now() - minuteMs, of: checksum };
    await writeCopy(join(folder, 'keys.stamp'), stamp, []);
    expect((await look({ STATE_DIR: folder })).get('copy of keys')).to.equal('ok: as of 1 min ago');
    await writeFile(join(folder, 'catalogue.copy'), 'cut off\n');
    expect((await look({ STATE_DIR: folder })).get('copy of catalogue')).to.equal(
      'mend: not a copy file → delete it: the gateway writes it again',
    );
  });
});
