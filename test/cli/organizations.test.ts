import { expect } from 'chai';
import {
  createOperatorEnvironment,
  expectMisuse,
  expectRefusal,
  type OperatorEnvironment,
} from '../support/cli/operator-environment.ts';

describe('organizations', function () {
  this.timeout(30_000);
  let world: OperatorEnvironment;
  const stored = () => world.db.collection<{ _id: string }>('organizations').findOne({ _id: 'acme' });

  before(async () => {
    world = await createOperatorEnvironment();
  });
  after(() => world.stop());

  it('are created and changed', async () => {
    await world.done('organizations', 'set', 'acme', '--name', 'Acme Music', '--per-day', '5000', '--actor', 'eve');
    expect(await world.json('organizations', 'list')).to.deep.equal([
      { id: 'acme', name: 'Acme Music', keys: 0, per_day: 5000 },
    ]);
    await world.done('organizations', 'set', 'acme', '--per-day', 'default', '--per-minute', '3');
    expect(await stored()).to.deep.equal({ _id: 'acme', name: 'Acme Music', quota: { per_minute: 3 } });
    const same = await world.run('organizations', 'set', 'acme', '--per-minute', '3');
    expect(same.stderr).to.equal('No change: organization acme already has these settings.\n');
  });

  it('are suspended and resumed, once', async () => {
    await world.done('organizations', 'suspend', 'acme', '--reason', 'unpaid');
    expect((await stored()) ?? {}).to.have.property('suspended_at');
    const again = await world.run('organizations', 'suspend', 'acme');
    expectRefusal(again, /^acme is suspended since .*: nothing was changed\.$/);
    await world.done('organizations', 'resume', 'acme');
    expect((await stored()) ?? {}).not.to.have.property('suspended_at');
    expectRefusal(await world.run('organizations', 'resume', 'acme'), /^acme is not suspended/);
  });

  it('are accounted for: every change, and no other', async () => {
    const log = await world.done('keys', 'log', '--organization', 'acme');
    const told = log.trim().split('\n').slice(1);
    const actions = ['set', 'set', 'suspend', 'resume'].map((action) => `organizations ${action}`);
    expect(told.map((line) => line.split('\t')[2])).to.deep.equal(actions);
    expect(told[0]).to.include('\teve\t');
    expect(told[2]).to.include('\tunpaid\t');
  });

  it('need a name, and an id that can be part of a counter', async () => {
    expectMisuse(await world.run('organizations', 'set', 'other'), /give its --name to create it/);
    expectMisuse(await world.run('organizations', 'set', 'a}b', '--name', 'A'), /must be 1 to 64 letters/);
    expectRefusal(await world.run('organizations', 'suspend', 'other'), /There is no organization other/);
  });
});
