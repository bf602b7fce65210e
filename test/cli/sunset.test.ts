import { expect } from 'chai';
import { z } from 'zod';
import { sunsetRows } from '../../adapters/cli/commands/sunset-rows.ts';
import { createMongoUsage } from '../../adapters/stores/mongodb/usage.ts';
import { addDays, dayOf } from '../../src/domain/day.ts';
import { keyIdIn } from '../../src/keys/key-format.ts';
import { buildKey } from '../support/builders.ts';
import {
  createOperatorEnvironment,
  expectMisuse,
  expectRefusal,
  type OperatorEnvironment,
} from '../support/cli/operator-environment.ts';
import { buildUsageCount } from '../support/usage.ts';

const scopes = 'artists:read,spikes:read,signings:read';
const now = '2026-11-21T12:00:00.000Z';

describe('keys sunset', function () {
  this.timeout(30_000);
  let world: OperatorEnvironment;
  const issue = async (form: string): Promise<string> => {
    const args = ['--organization', 'acme', '--form', form, '--partner', 'Acme Radio', '--scopes', scopes];
    return keyIdIn((await world.done('keys', 'issue', ...args)).trim()) ?? 'no key';
  };
  const stored = (id: string) => world.db.collection<{ _id: string }>('api_keys').findOne({ _id: id });

  before(async () => {
    world = await createOperatorEnvironment({ settings: { FIXED_NOW: now } });
    await world.done('organizations', 'set', 'acme', '--name', 'Acme Music');
  });
  after(() => world.stop());

  it('announces a day and takes it back, and both stand in the log', async () => {
    const id = await issue('variant');
    const told = await world.run(
      'keys',
      'sunset',
      id,
      '--on',
      '2027-06-30',
      '--reason',
      'contract 14',
      '--actor',
      'eve',
    );
    expect(told.stderr).to.match(/ends for it on 2027-06-30\. Nothing is cut off by itself\.\n$/);
    expect(await stored(id)).to.deep.include({ sunset: '2027-06-30', deprecated_at: new Date(now) });
    const same = await world.run('keys', 'sunset', id, '--on', '2027-06-30');
    expect(same).to.deep.include({ code: 0, stderr: `Key ${id} was so already.\n` });
    await world.done('keys', 'sunset', id, '--off', '--reason', 'not yet');
    expect(await stored(id)).not.to.have.any.keys('sunset', 'deprecated_at');
    const log = z.array(z.looseObject({ action: z.string(), actor: z.string(), reason: z.string().optional() }));
    const entries = log.parse(await world.json('keys', 'log', '--key', id));
    // In any order: the clock stands, so all of it happened at one instant.
    expect(entries.map(({ action, reason }) => `${action}: ${reason}`)).to.have.members([
      'keys issue: undefined',
      'keys sunset: contract 14',
      'keys sunset: not yet',
    ]);
    expect(entries.find(({ reason }) => reason === 'contract 14')).to.include({ actor: 'eve' });
  });

  it('refuses a day that is over or none, a key that ended, and one of the current form', async () => {
    const [id, current] = [await issue('variant'), await issue('current')];
    const at = (day: string, key = id) => world.run('keys', 'sunset', key, '--on', day);
    expectRefusal(await at('2026-11-20'), /^2026-11-20 is not after today, 2026-11-21 \(UTC\)/);
    expectRefusal(await at('2026-11-21'), /^2026-11-21 is not after today/);
    expectMisuse(await at('2027-02-29'), /It must be a day, like 2027-06-30/);
    expectRefusal(await at('2027-06-30', current), /^A sunset is told by the variant form only/);
    expectMisuse(await world.run('keys', 'sunset', id), /--on DAY, or --off/);
    expectMisuse(await world.run('keys', 'sunset', id, '--on', '2027-06-30', '--off'), /cannot be used with/);
    await world.done('keys', 'revoke', id);
    expectRefusal(await at('2027-06-30'), /is revoked since .*: nothing was changed/);
  });

  it('is the only command that does it', async () => {
    expectMisuse(await world.run('keys', 'set', 'abc', '--sunset', '2027-06-30'), /unknown option '--sunset'/);
  });
});

describe('who still calls near a sunset', () => {
  const at = Date.parse(now);
  const today = '2026-11-21';
  const ending = (id: string, days: number, given: Parameters<typeof buildKey>[0] = {}) =>
    buildKey({ id, form: 'variant', sunset: addDays(today, days), ...given }).record;
  const called = (keyId: string, daysAgo: number, requests = 1) =>
    buildUsageCount({ keyId, day: addDays(today, -daysAgo), lastAt: at - daysAgo * 86_400_000, requests });
  const rows = (keys: Parameters<typeof sunsetRows>[0]['keys'], counts = [called('k', 0)], within = 30) =>
    sunsetRows({ keys, counts, now: at, within });

  it('is listed by urgency: who calls first, then who has least time, then who calls most', () => {
    const keys = [ending('a', 30), ending('b', -5), ending('c', -90), ending('d', 3), ending('e', 3), ending('f', 10)];
    const counts = [called('a', 0), called('b', 6), called('c', 20), called('d', 1), called('e', 2, 9)];
    expect(rows(keys, counts).map(({ key, days_left, calling }) => `${key} ${days_left} ${calling}`)).to.deep.equal([
      'b -5 true',
      'e 3 true',
      'd 3 true',
      'a 30 true',
      'c -90 false',
      'f 10 false',
    ]);
  });

  it('is told with what it asked in the variant form, and when last', () => {
    const counts = [called('k', 9, 4), called('k', 12), buildUsageCount({ keyId: 'k', form: 'current' })];
    const [row] = rows([ending('k', 3)], counts);
    expect(row).to.deep.include({ requests: 5, last_at: '2026-11-12T12:00:00.000Z', calling: false });
    expect(rows([ending('k', 3)], [])[0]).to.deep.include({ requests: 0, last_at: undefined, calling: false });
  });

  it('is nobody whose day is far, who moved, who ended, or to whom nothing was announced', () => {
    const keys = [
      ending('far', 31),
      ending('moved', 3, { form: 'current' }),
      ending('revoked', 3, { revokedAt: at }),
      ending('none', 3, { sunset: undefined }),
    ];
    expect(rows(keys)).to.deep.equal([]);
    expect(rows(keys, [], 31)).to.have.length(1);
  });
});

describe('sunset report', function () {
  this.timeout(30_000);
  let world: OperatorEnvironment;
  const [today, midnight] = [dayOf(Date.now()), Math.floor(Date.now() / 86_400_000) * 86_400_000];
  const day = (daysAgo: number) => ({
    ...buildUsageCount({
      keyId: 'abc',
      day: addDays(today, -daysAgo),
      lastAt: midnight - daysAgo * 86_400_000,
    }),
    id: `one:${daysAgo}`,
  });

  before(async () => {
    world = await createOperatorEnvironment();
    const { hash, partner } = buildKey({ id: 'abc' }).record;
    const document = { hash, organization_id: 'acme', partner, scopes: scopes.split(','), created_at: new Date(0) };
    const keys = world.db.collection<{ _id: string; [member: string]: unknown }>('api_keys');
    const pinned = { ...document, form: 'variant', sunset: addDays(today, 9) };
    await keys.insertMany([
      { ...pinned, _id: 'abc', partner: 'Acme "Radio", Ltd' },
      { ...pinned, _id: 'def', hash: hash.replaceAll('a', 'b') },
      { ...pinned, _id: 'ghi', hash: hash.replaceAll('a', 'c'), form: 'current' },
    ]);
    await world.done('organizations', 'set', 'acme', '--name', 'Acme Music');
    await createMongoUsage(world.db).write({ days: [day(10), day(40)], hours: [] });
  });
  after(() => world.stop());

  it('lists who is near the end, and since when who stopped is quiet', async () => {
    const { stdout, stderr } = await world.run('sunset', 'report');
    const [ends, quiet] = [addDays(today, 9), addDays(today, -10)];
    expect(stdout.split('\n')).to.deep.equal([
      'key\torganization\tpartner\tsunset\twhen\trequests in 30 days\tlast\tnow',
      `abc\tacme\tAcme "Radio", Ltd\t${ends}\tin 9 days\t3\t${quiet}T00:00:00.000Z\tquiet since ${quiet}`,
      `def\tacme\tTest Partner\t${ends}\tin 9 days\t0\t–\tnot seen in 30 days`,
      '',
    ]);
    expect(stderr).to.equal('Moved to the current form with a sunset that is kept: 1.\n');
  });

  it('is CSV and JSON too, of as many days as are asked for', async () => {
    const csv = await world.done('sunset', 'report', '--csv', '--days', '50');
    expect(csv.split('\r\n')[1]).to.match(/^abc,acme,"Acme ""Radio"", Ltd",.*,in 9 days,6,/);
    expect(await world.json('sunset', 'report', '--within', '8')).to.deep.equal([]);
    expect(await world.json('sunset', 'report')).to.have.nested.property('[0].calling', false);
  });
});
