import { expect } from 'chai';
import { useOperatorEnvironment } from '../support/cli/operator-environment.ts';

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
});
