import { expect } from 'chai';
import { z } from 'zod';
import { keyIdIn } from '../../src/key-text.ts';
import { expectMisuse, expectRefusal, startWorld, type World } from './world.ts';

const scopes = 'artists:read,spikes:read,signings:read';
const now = '2026-11-21T12:00:00.000Z';

describe('keys sunset', function () {
  this.timeout(30_000);
  let world: World;
  const issue = async (form: string): Promise<string> => {
    const args = ['--organization', 'acme', '--form', form, '--partner', 'Acme Radio', '--scopes', scopes];
    return keyIdIn((await world.done('keys', 'issue', ...args)).trim()) ?? 'no key';
  };
  const stored = (id: string) => world.db.collection<{ _id: string }>('api_keys').findOne({ _id: id });

  before(async () => {
    world = await startWorld({ settings: { FIXED_NOW: now } });
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
    expect(entries.map(({ action, reason }) => `${action}: ${reason}`)).to.deep.equal([
      'keys issue: undefined',
      'keys sunset: contract 14',
      'keys sunset: not yet',
    ]);
    expect(entries[1]).to.include({ actor: 'eve' });
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
