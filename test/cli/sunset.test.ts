import { expect } from 'chai';
import type { LogRow } from '../../adapters/cli/keys/log.ts';
import { expectRefusal, expectUsageError, useOperatorEnvironment } from '../support/cli/operator-environment.ts';

const now = '2026-11-21T12:00:00.000Z';

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
