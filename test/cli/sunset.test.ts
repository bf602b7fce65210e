import { expect } from 'chai';
import type { LogRow } from '../../adapters/cli/keys/log.ts';
import { createMongoUsage } from '../../adapters/stores/mongodb/usage.ts';
import { addDays, dayOf } from '../../src/domain/day.ts';
import type { UsageCount } from '../../src/domain/usage.ts';
import {
  expectRefusal,
  expectUsageError,
  keyDocument,
  useOperatorEnvironment,
} from '../support/cli/operator-environment.ts';
import { buildUsageCount } from '../support/usage.ts';

const now = '2026-11-21T12:00:00.000Z';
const dayMs = 86_400_000;

describe('keys sunset', () => {
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

describe('sunset report', () => {
  const operator = useOperatorEnvironment();
  const [today, midnight] = [dayOf(Date.now()), Math.floor(Date.now() / dayMs) * dayMs];
  /** The calls of a key on one day, so many days ago. */
  const called = (keyId: string, daysAgo: number, given: Partial<UsageCount> = {}) => ({
    ...buildUsageCount({ keyId, day: addDays(today, -daysAgo), lastAt: midnight - daysAgo * dayMs, ...given }),
    id: `one:${keyId}:${daysAgo}:${given.form}`,
  });

  before(async () => {
    const key = (id: string, days: number, given: Parameters<typeof keyDocument>[0] = {}) =>
      keyDocument({ id, form: 'variant', partner: `P ${id}`, sunset: addDays(today, days), ...given });
    await operator
      .collection('api_keys')
      .insertMany([
        key('calls30', 30, { partner: 'Acme "Radio", Ltd' }),
        ...[key('ended5', -5), key('calls3', 3), key('calls3more', 3), key('silent', 3), key('quiet', 10)],
        ...[key('distant', 31), key('none', 0, { sunset: undefined }), key('moved', 3, { form: 'current' })],
        key('revoked', 3, { revokedAt: midnight - 1 }),
      ]);
    await operator.done('organizations set acme --name', 'Acme Music');
    const days = [
      ...['calls30', 'calls3', 'revoked', 'moved'].map((id) => called(id, 0)),
      ...[called('ended5', 5), called('calls3more', 0, { requests: 9 }), called('quiet', 0, { form: 'current' })],
      ...[called('quiet', 12), called('quiet', 9, { requests: 4 }), called('quiet', 40)],
    ];
    await createMongoUsage(operator.db).write({ days, hours: [] });
  });

  it('lists active keys near their sunset: those that still call first, then by days left and requests', async () => {
    const { stdout, stderr } = await operator.run('sunset report');
    const row = (key: string, days: number, when: string, ...cells: readonly (string | number)[]) =>
      [key, 'acme', `P ${key}`, addDays(today, days), when, ...cells].join('\t');
    const at = (daysAgo: number) => `${addDays(today, -daysAgo)}T00:00:00.000Z`;
    expect(stdout.split('\n')).to.deep.equal([
      'key\torganization\tpartner\tsunset\twhen\trequests in 30 days\tlast\tnow',
      row('ended5', -5, '5 days ago', 3, at(5), 'still calling'),
      row('calls3more', 3, 'in 3 days', 9, at(0), 'still calling'),
      row('calls3', 3, 'in 3 days', 3, at(0), 'still calling'),
      row('calls30', 30, 'in 30 days', 3, at(0), 'still calling').replace('P calls30', 'Acme "Radio", Ltd'),
      row('silent', 3, 'in 3 days', 0, '–', 'not seen in 30 days'),
      row('quiet', 10, 'in 10 days', 7, at(9), `quiet since ${at(9).slice(0, 10)}`),
      '',
    ]);
    expect(stderr).to.equal('Keys with a sunset that have moved to the current form: 1.\n');
  });

  it('prints CSV and JSON, over the days of --days and --within', async () => {
    const csv = (await operator.done('sunset report --csv --days 50 --within 31')).split('\r\n');
    expect(csv[4]).to.match(/^calls30,acme,"Acme ""Radio"", Ltd",.*,in 30 days,3,/);
    expect(csv[6]).to.match(/^quiet,.*,in 10 days,10,/);
    expect(csv[7]).to.match(/^distant,/);
    const listed = await operator.json<readonly { readonly key: string }[]>('sunset report --within 3');
    expect(listed.map(({ key }) => key)).to.deep.equal(['ended5', 'calls3more', 'calls3', 'silent']);
    expect(listed[3]).to.deep.include({ requests: 0, calling: false }).and.not.have.property('last_at');
  });
});
