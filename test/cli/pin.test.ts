import { expect } from 'chai';
import { createMongoUsage } from '../../adapters/stores/mongodb/usage.ts';
import { dayOf } from '../../src/domain/day.ts';
import type { LogRow } from '../../tools/cli/keys/log.ts';
import type { Policy } from '../../tools/cli/policy.ts';
import { useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import { buildUsageCount } from '../support/usage.ts';

describe('keys pin', () => {
  const operator = useOperatorEnvironment();
  const pin = (id: string, form: string, ...more: string[]) =>
    operator.run(`keys pin ${id} --form ${form} --reason`, 'ticket 77', ...more);
  const stored = (id: string) =>
    operator
      .collection('api_keys')
      .findOne<{ readonly trial?: { readonly form: string; readonly until: Date } }>({ _id: id });
  const logOf = (id: string) => operator.json<readonly LogRow[]>('keys log --key', id);

  before(async () => {
    await operator.done('organizations set acme --name Acme --per-minute 5000 --per-day 70000');
  });

  it('preserves every setting of a key that moves there and back, and names those that do not apply', async () => {
    const { id } = await operator.issue('variant', '--per-hour', '7', '--allow-envelope-override');
    await operator.done(`keys sunset ${id} --on 2999-06-30`);
    const before = await stored(id);
    const there = await pin(id, 'current');
    expect(there.stdout).to.equal('');
    expect(there.stderr).to.match(
      /gateways switch within 5 seconds\.\nNew limits: 5000 a minute, 70000 a UTC day, counted for/,
    );
    expect(there.stderr).to.match(
      /7 requests an hour does not apply.*\n.*2999-06-30 is kept, but the current form/,
    );
    expect((await pin(id, 'variant')).stderr).to.match(
      /New limits: 7 an hour, counted for key:.*\n.*applies again\.\n.*announce again/,
    );
    expect(await stored(id)).to.deep.equal(before);
    const same = await pin(id, 'variant');
    expect(same).to.deep.equal({
      code: 0,
      stdout: '',
      stderr: `No change: key ${id} already has these settings.\n`,
    });
  });

  it('says that gateways refuse the key while its organization is suspended', async () => {
    const { id } = await operator.issue('variant');
    await operator.done('organizations suspend acme --yes --reason unpaid');
    const said = [await pin(id, 'current', '--for', '30m'), await pin(id, 'current')];
    await operator.done('organizations resume acme');
    for (const { stderr } of said)
      expect(stderr).to.include('\nGateways refuse it while acme is suspended.\n');
    expect((await pin(id, 'variant')).stderr).to.not.include('suspended');
  });

  describe('--for', () => {
    it('stores a trial with its end, keeps every other setting, and --back ends it', async () => {
      const { id } = await operator.issue('variant', '--per-hour', '7');
      await operator.done(`keys sunset ${id} --on 2999-06-30`);
      const before = await stored(id);
      const startedAt = Date.now();
      const { stderr } = await pin(id, 'current', '--for', '30m');
      const { trial, ...kept } = { ...(await stored(id)) };
      expect(kept).to.deep.equal(before);
      if (trial === undefined) throw new Error('no trial is stored');
      expect(Object.keys(trial)).to.deep.equal(['form', 'until']);
      expect(trial.form).to.equal('current');
      const until = trial.until.toISOString();
      expect(trial.until.getTime() - startedAt).to.be.within(1_800_000, 1_860_000);
      expect(stderr.split('\n')).to.deep.equal([
        `Key ${id} is trying the current form: gateways switch to it within 5 seconds, and back to the variant form at ${until}.`,
        'New limits: 5000 a minute, 70000 a UTC day, counted for organization:acme.',
        `To end it earlier: artist-gateway keys pin ${id} --back --reason TEXT`,
        '',
      ]);
      const shown = await operator.json<Policy>('keys show', id);
      expect(shown).to.deep.include({ form: 'variant', trial: { form: 'current', until } });
      expect(shown.windows.map(({ window }) => window)).to.deep.equal(['minute', 'day']);
      const listed = await operator.run('keys list');
      expect(listed.stdout).to.include(`\tvariant\tcurrent until ${until}\t`);

      const back = await operator.run(`keys pin ${id} --back --reason`, 'ticket 77');
      expect(back.stderr).to.match(
        /^The trial of key .* has ended: gateways switch back to the variant form within 5 seconds\.\nNew limits: 7 an hour,/,
      );
      expect(await stored(id)).to.deep.equal(before);
      const log = await logOf(id);
      const trials = log
        .slice(-2)
        .map(({ action, before: was, after }) => ({ action, was, after }));
      const written = { trial: { form: 'current', until } };
      expect(trials).to.deep.equal([
        { action: 'keys pin', was: {}, after: written },
        { action: 'keys pin', was: written, after: {} },
      ]);
    });

    it('is ended by a pin to either form', async () => {
      for (const [form, message] of [
        ['current', /moved to the current form/],
        ['variant', /The trial of key .* has ended: gateways switch back to the variant form/],
      ] as const) {
        const { id } = await operator.issue('variant');
        await pin(id, 'current', '--for', '7d');
        expect((await pin(id, form)).stderr).to.match(message);
        const after = await stored(id);
        expect(after).to.include({ form }).and.not.have.property('trial');
      }
    });

    it('keeps a trial when another setting of the key changes', async () => {
      const { id } = await operator.issue('variant');
      await pin(id, 'current', '--for', '1m');
      await operator.done(`keys set ${id} --partner`, 'Another Name');
      expect((await stored(id))?.trial).to.include({ form: 'current' });
    });

    it('refuses scopes that the form of a running trial does not allow, until the trial is ended', async () => {
      const { id } = await operator.issue('current');
      await pin(id, 'variant', '--for', '5m');
      const before = await stored(id);
      const { trial } = { ...before };
      const refused = await operator.run(`keys set ${id} --scopes artists:read`);
      expect(refused).to.deep.equal({
        code: 1,
        stdout: '',
        stderr: `A key of the variant form needs artists:read, spikes:read, signings:read: add spikes:read, signings:read. Key ${id} is trying that form until ${trial?.until.toISOString()}; to end the trial: artist-gateway keys pin ${id} --back --reason TEXT\n`,
      });
      expect(await stored(id)).to.deep.equal(before);
      await operator.done(`keys pin ${id} --back --reason`, 'ticket 77');
      await operator.done(`keys set ${id} --scopes artists:read`);
    });

    for (const [what, form, options, message] of [
      ['less than a minute', 'current', ['--for', '59s'], /^A trial lasts 1 minute to 7 days/],
      ['more than 7 days', 'current', ['--for', '169h'], /^A trial lasts 1 minute to 7 days/],
      ['no duration', 'current', ['--for', 'soon'], /It must be a duration: /],
      ['the form that the key is pinned to', 'variant', ['--for', '1h'], /there is nothing to try/],
      ['--back beside --form', 'current', ['--back'], /--back/],
    ] as const)
      it(`refuses ${what}, and changes nothing`, async () => {
        const { id } = await operator.issue('variant');
        const before = await stored(id);
        const { code, stderr } = await pin(id, form, ...options);
        expect(stderr).to.match(message);
        expect(code).to.be.greaterThan(0);
        expect(await stored(id)).to.deep.equal(before);
      });

    it('refuses to end a trial of a key that is in none, a revoked key, and neither form nor --back', async () => {
      const { id } = await operator.issue('variant');
      const back = await operator.run(`keys pin ${id} --back --reason`, 'ticket 77');
      expect(back).to.include({ code: 1 });
      expect(back.stderr).to.match(/is not in a trial: gateways answer in the variant form/);
      expect((await operator.run(`keys pin ${id} --reason x`)).stderr).to.match(
        /^Give the form with --form FORM, or end a trial with --back/,
      );
      await operator.done(`keys revoke ${id} --yes --reason`, 'leaked');
      expect((await pin(id, 'current', '--for', '1h')).stderr).to.match(/has been revoked since/);
    });
  });

  it('prints the verdict on the usage of a key before it moves the key', async () => {
    const { id } = await operator.issue('variant');
    const now = Date.now();
    const count = buildUsageCount({
      ...{ keyId: id, organizationId: 'acme', route: '/api/v1/artists', day: dayOf(now) },
      ...{ lastAt: now, uses: { '?new=3': 3 } },
    });
    await createMongoUsage(operator.db).write({ days: [{ ...count, id }], hours: [] });
    const report = await operator.done(`migration report ${id}`);
    expect(report)
      .to.match(/^\/artists\?new=3\t200\t3\t.*\t\/added\?days=3$/m)
      .and.match(/^quota after the move\t5000 a minute, 70000 /m);
    const [, line = ''] = /\n(ready after renames: \d+ things to change)\n$/.exec(report) ?? [];
    const { stderr } = await pin(id, 'current');
    expect(stderr).to.match(
      new RegExp(`^Warning: ${line}\\.\nKey ${id} moved to the current form`),
    );
    expect((await pin(id, 'variant')).stderr).to.not.include('Warning');
  });
});
