import { expect } from 'chai';
import type { LogRow } from '../../adapters/cli/keys/log.ts';
import { sunsetRows } from '../../adapters/cli/readiness/sunset-report.ts';
import { forms } from '../../adapters/forms/forms.ts';
import { createMongoUsage } from '../../adapters/stores/mongodb/usage.ts';
import { addDays, dayOf } from '../../src/domain/day.ts';
import { buildKey } from '../support/builders.ts';
import {
  expectRefusal,
  expectUsageError,
  readScopes,
  useOperatorEnvironment,
} from '../support/cli/operator-environment.ts';
import { buildUsageCount } from '../support/usage.ts';

const now = '2026-11-21T12:00:00.000Z';

describe('keys sunset', function () {
  this.timeout(30_000);
  const operator = useOperatorEnvironment({ settings: { FIXED_NOW: now } });
  const stored = (id: string) => operator.collection('api_keys').findOne({ _id: id });

  before(async () => {
    await operator.done('organizations set acme --name', 'Acme Music');
  });

  it('announces a day and removes it, with an audit record of each', async () => {
    const { id } = await operator.issue('variant');
    const listed = await operator.run(`keys sunset ${id} --on 2027-06-30 --actor eve --reason`, 'contract 14');
    expect(listed.stderr).to.match(/in the variant form: 2027-06-30\. .* nothing is switched off on that day\.\n$/);
    expect(await stored(id)).to.deep.include({ sunset: '2027-06-30', deprecated_at: new Date(now) });
    const same = await operator.run(`keys sunset ${id} --on 2027-06-30`);
    expect(same).to.deep.include({ code: 0, stderr: `No change: key ${id} already has these settings.\n` });
    const off = await operator.run(`keys sunset ${id} --off --reason`, 'not yet');
    expect(off.stderr).to.equal('Sunset removed; gateways stop sending it within 5 seconds.\n');
    expect(await stored(id)).not.to.have.any.keys('sunset', 'deprecated_at');
    const entries = await operator.json<readonly LogRow[]>('keys log --key', id);
    // In any order: with a fixed clock all records have the same instant.
    expect(entries.map(({ action, reason }) => `${action}: ${reason}`)).to.have.members([
      'keys issue: undefined',
      'keys sunset: contract 14',
      'keys sunset: not yet',
    ]);
    expect(entries.find(({ reason }) => reason === 'contract 14')).to.include({ actor: 'eve' });
  });

  it('refuses a past or invalid day, an inactive key, and a key of the current form', async () => {
    const [{ id }, current] = [await operator.issue('variant'), await operator.issue('current')];
    const at = (day: string, key = id) => operator.run(`keys sunset ${key} --on ${day}`);
    expectRefusal(await at('2026-11-20'), /^2026-11-20 is not after today, 2026-11-21 \(UTC\)/);
    expectRefusal(await at('2026-11-21'), /^2026-11-21 is not after today/);
    expectUsageError(await at('2027-02-29'), /It must be a day, like 2027-06-30/);
    expectRefusal(await at('2027-06-30', current.id), /^Only the variant form announces a sunset/);
    expectUsageError(await operator.run(`keys sunset ${id}`), /--on DAY, or --off/);
    expectUsageError(await operator.run(`keys sunset ${id} --on 2027-06-30 --off`), /cannot be used with/);
    await operator.done('keys revoke', id, '--yes', '--reason', 'leaked');
    expectRefusal(await at('2027-06-30'), /is revoked since .*: nothing was changed/);
  });
});

describe('the rows of the sunset report', () => {
  const at = Date.parse(now);
  const today = '2026-11-21';
  const ending = (id: string, days: number, given: Parameters<typeof buildKey>[0] = {}) =>
    buildKey({ id, form: 'variant', sunset: addDays(today, days), ...given }).record;
  const called = (keyId: string, daysAgo: number, requests = 1) =>
    buildUsageCount({ keyId, day: addDays(today, -daysAgo), lastAt: at - daysAgo * 86_400_000, requests });
  const rows = (keys: Parameters<typeof sunsetRows>[0]['keys'], counts = [called('k', 0)], within = 30) =>
    sunsetRows({ keys, forms: forms, counts, now: at, within });

  it('list keys that still call first, then by days left, then by requests', () => {
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

  it('count the requests in the variant form, with the last call', () => {
    const counts = [called('k', 9, 4), called('k', 12), buildUsageCount({ keyId: 'k', form: 'current' })];
    const [row] = rows([ending('k', 3)], counts);
    expect(row).to.deep.include({ requests: 5, last_at: '2026-11-12T12:00:00.000Z', calling: false });
    expect(rows([ending('k', 3)], [])[0]).to.deep.include({ requests: 0, last_at: undefined, calling: false });
  });

  it('leave out keys with a distant or no sunset, moved keys and inactive keys', () => {
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
  const operator = useOperatorEnvironment();
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
    const { hash, partner } = buildKey({ id: 'abc' }).record;
    const document = { hash, organization_id: 'acme', partner, scopes: readScopes.split(','), created_at: new Date(0) };
    const pinned = { ...document, form: 'variant', sunset: addDays(today, 9) };
    await operator.collection('api_keys').insertMany([
      { ...pinned, _id: 'abc', partner: 'Acme "Radio", Ltd' },
      { ...pinned, _id: 'def', hash: hash.replaceAll('a', 'b') },
      { ...pinned, _id: 'ghi', hash: hash.replaceAll('a', 'c'), form: 'current' },
    ]);
    await operator.done('organizations set acme --name', 'Acme Music');
    await createMongoUsage(operator.db).write({ days: [day(10), day(40)], hours: [] });
  });

  it('lists keys near their sunset, and since when a key is quiet', async () => {
    const { stdout, stderr } = await operator.run('sunset report');
    const [ends, quiet] = [addDays(today, 9), addDays(today, -10)];
    expect(stdout.split('\n')).to.deep.equal([
      'key\torganization\tpartner\tsunset\twhen\trequests in 30 days\tlast\tnow',
      `abc\tacme\tAcme "Radio", Ltd\t${ends}\tin 9 days\t3\t${quiet}T00:00:00.000Z\tquiet since ${quiet}`,
      `def\tacme\tTest Partner\t${ends}\tin 9 days\t0\t–\tnot seen in 30 days`,
      '',
    ]);
    expect(stderr).to.equal('Keys with a sunset that have moved to the current form: 1.\n');
  });

  it('prints CSV and JSON, over the days of --days and --within', async () => {
    const csv = await operator.done('sunset report --csv --days 50');
    expect(csv.split('\r\n')[1]).to.match(/^abc,acme,"Acme ""Radio"", Ltd",.*,in 9 days,6,/);
    expect(await operator.json('sunset report --within 8')).to.deep.equal([]);
    expect(await operator.json('sunset report')).to.have.nested.property('[0].calling', false);
  });
});
