import { expect } from 'chai';
import type { LogRow } from '../../tools/cli/keys/log.ts';
import type { Policy } from '../../tools/cli/policy.ts';
import { keyDocument, useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import { type CommandResult, run } from '../support/cli/run.ts';

const now = '2026-08-22T12:00:00.000Z';
const daysFromNow = (days: number): number => Date.parse(now) + days * 86_400_000;

/**
 * A result without the instant up to which it looked, and without what the doctor measures in
 * seconds.
 */
const withoutNow = ({ stdout, ...result }: CommandResult) => ({
  ...result,
  stdout: stdout
    .replace(/ to \d{4}-\d\d-\d\dT\S+Z$/m, ' to now')
    .replaceAll(/[\d.]+ s (ago|ahead of|behind)/g, 'some seconds'),
});

describe('commands for keys and organizations', () => {
  const operator = useOperatorEnvironment({ redis: true, settings: { FIXED_NOW: now } });

  before(async () => {
    await operator.done('organizations set acme --name', 'Acme Music');
    const createdAt = daysFromNow(-400);
    await operator.collection('api_keys').insertMany([
      keyDocument({ id: 'soon', createdAt, expiresAt: daysFromNow(10) }),
      keyDocument({
        id: 'later',
        createdAt,
        expiresAt: daysFromNow(100),
        form: 'variant',
        sunset: '2026-09-21',
      }),
      keyDocument({ id: 'over', createdAt, expiresAt: daysFromNow(-1) }),
      keyDocument({ id: 'gone', createdAt, revokedAt: daysFromNow(-1) }),
      keyDocument({ id: 'young', createdAt: Date.now(), sunset: '2026-08-22' }),
    ]);
  });

  it('`keys list` filters by organization and expiry', async () => {
    for (const [options, ids] of [
      ['--organization acme', ['soon', 'later', 'over', 'gone', 'young']],
      ['--expires-within 30d', ['soon', 'over']],
      ['--organization acme --expires-within 100d', ['soon', 'later', 'over']],
    ] as const) {
      const rows = await operator.json<readonly Policy[]>(`keys list ${options}`);
      expect(
        rows.map(({ id }) => id),
        options,
      ).to.have.members(ids);
    }
    expect(await operator.done('keys list')).to.match(/\nyoung\t.*\t2026-08-22\n$/);
  });

  it('an empty result prints a sentence on standard error', async () => {
    await operator.done('organizations set empty --name Empty');
    const { stdout, stderr } = await operator.run('keys list --organization empty');
    expect(stderr).to.equal('No keys match.\n');
    expect(stdout).to.equal(
      'key\torganization\tpartner\tform\ttrial\tscopes\tstate\texpires\treplaced by\tsunset\n',
    );
  });

  // `runWarm` refuses every command that leaves open what would keep its process from ending.
  for (const words of ['keys show none', 'quota show soon', 'compare --case health', 'doctor'])
    it(`\`${words}\` ends in a process of its own as it does in one that stays`, async () => {
      const [alone, beside] = [
        await run(operator.settings, words.split(' ')),
        await operator.run(words),
      ];
      expect(withoutNow(alone)).to.deep.equal(withoutNow(beside));
    });

  it('prints with --json what a change led to', async () => {
    expect(await operator.json('keys set soon --partner Q')).to.include({
      id: 'soon',
      partner: 'Q',
    });
    const pinned = await operator.json('keys sunset soon --on never');
    expect(pinned).to.include({ id: 'soon', form: 'current' });
    const revoked = await operator.json('keys revoke later --yes --reason leaked');
    expect(revoked).to.include({ id: 'later', state: 'revoked' });
    const suspended = await operator.json('organizations suspend acme --yes --reason unpaid');
    expect(suspended).to.deep.equal({ id: 'acme', name: 'Acme Music', keys: 5, suspended_at: now });
    expect(await operator.json('organizations resume acme')).not.to.have.property('suspended_at');
  });

  it('`keys sunset` announces a day and removes it, with an audit record of each', async () => {
    const { id } = await operator.issue('variant');
    const listed = await operator.run(
      `keys sunset ${id} --on 2027-06-30 --actor eve --reason`,
      'contract 14',
    );
    expect(listed.stderr).to.match(
      /in the variant form: 2027-06-30\. .* nothing is switched off on that day\.\n$/,
    );
    expect(await operator.collection('api_keys').findOne({ _id: id })).to.deep.include({
      sunset: '2027-06-30',
      deprecated_at: new Date(now),
    });
    const same = await operator.run(`keys sunset ${id} --on 2027-06-30`);
    expect(same).to.deep.include({
      code: 0,
      stderr: `No change: key ${id} already has these settings.\n`,
    });
    const off = await operator.run(`keys sunset ${id} --on never --reason`, 'not yet');
    expect(off.stderr).to.equal('Sunset removed; gateways stop sending it within 5 seconds.\n');
    expect(await operator.collection('api_keys').findOne({ _id: id })).not.to.have.any.keys(
      'sunset',
      'deprecated_at',
    );
    const entries = await operator.json<readonly LogRow[]>('keys log --key', id);
    // In any order: with a fixed clock all records have the same instant.
    expect(entries.map(({ action, reason }) => `${action}: ${reason}`)).to.have.members([
      'keys issue: undefined',
      'keys sunset: contract 14',
      'keys sunset: not yet',
    ]);
    expect(entries.find(({ reason }) => reason === 'contract 14')).to.include({ actor: 'eve' });
  });
});
