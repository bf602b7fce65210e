import { expect } from 'chai';
import { expectRefusal, useOperatorEnvironment } from '../support/cli/operator-environment.ts';

describe('organizations', () => {
  const operator = useOperatorEnvironment();
  const stored = () => operator.collection('organizations').findOne({ _id: 'acme' });

  it('organizations set creates and changes an organization, and notes when nothing differs', async () => {
    await operator.done(
      'organizations set acme --name',
      'Acme Music',
      '--per-day',
      '5000',
      '--actor',
      'eve',
    );
    expect(await operator.json('organizations list')).to.deep.equal([
      { id: 'acme', name: 'Acme Music', keys: 0, per_day: 5000 },
    ]);
    await operator.done('organizations set acme --per-day default --per-minute 3');
    expect(await stored()).to.deep.equal({
      _id: 'acme',
      name: 'Acme Music',
      quota: { per_minute: 3 },
    });
    const same = await operator.run('organizations set acme --per-minute 3');
    expect(same.stderr).to.equal('No change: organization acme already has these settings.\n');
  });

  it('organizations suspend ends access once, until organizations resume', async () => {
    await operator.done('organizations suspend acme --yes --reason unpaid');
    expect((await stored()) ?? {}).to.have.property('suspended_at');
    const again = await operator.run('organizations suspend acme');
    expectRefusal(again, /^acme has been suspended since .*: nothing was changed\.$/);
    await operator.done('organizations resume acme');
    expect((await stored()) ?? {}).not.to.have.property('suspended_at');
  });

  it('keys log lists every change, and no refused one', async () => {
    const log = await operator.done('keys log --organization acme');
    const listed = log.trim().split('\n').slice(1);
    const actions = ['set', 'set', 'suspend', 'resume'].map((action) => `organizations ${action}`);
    expect(listed.map((line) => line.split('\t')[2])).to.deep.equal(actions);
    expect(listed[0]).to.include('\teve\t');
    expect(listed[2]).to.include('\tunpaid\t');
  });
});
