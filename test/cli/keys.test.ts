import { userInfo } from 'node:os';
import { expect } from 'chai';
import { createMongoUsage } from '../../adapters/stores/mongodb/usage.ts';
import { dayOf } from '../../src/domain/day.ts';
import { keyHash, keyIdIn } from '../../src/keys/key-format.ts';
import type { LogRow } from '../../tools/cli/keys/log.ts';
import type { ListedKey, Policy } from '../../tools/cli/policy.ts';
import type { UsageRow } from '../../tools/cli/usage/rows.ts';
import { examine } from '../support/cli/examine.ts';
import {
  expectRefusal,
  expectUsageError,
  keyDocument,
  readScopes,
  useOperatorEnvironment,
} from '../support/cli/operator-environment.ts';
import { type CommandResult, run, runWarm } from '../support/cli/run.ts';
import { dayTotal } from '../support/usage.ts';

const now = '2026-08-22T12:00:00.000Z';
const inDays = (days: number) => new Date(Date.parse(now) + days * 86_400_000);

/** A result without the time up to which it looked, and what the doctor measures in seconds. */
const withoutTimes = ({ stdout, ...result }: CommandResult) => ({
  ...result,
  stdout: stdout
    .replace(/ to \d{4}-\d\d-\d\dT\S+Z$/m, '')
    .replaceAll(/[\d.]+ s (ago|ahead of|behind)/g, ''),
});

describe('commands for keys and organizations', () => {
  const operator = useOperatorEnvironment({ redis: true, settings: { FIXED_NOW: now } });
  const issue = (form: string, options = '') =>
    operator.issue(form, ...options.split(' ').filter(Boolean));
  const stored = (_id: string, collection = 'api_keys') =>
    operator.collection(collection).findOne({ _id });
  const damage = (_id: string, $set: Readonly<Record<string, unknown>>, collection = 'api_keys') =>
    operator.collection(collection).updateOne({ _id }, { $set });
  /** The records of a key by action; with a fixed clock all have the same time. */
  const logOf = async (id: string, action: string) =>
    (await operator.json<readonly LogRow[]>('keys log --key', id)).filter(
      (row) => row.action === action,
    );
  const states = async () =>
    (await operator.json<readonly ListedKey[]>('keys list')).map(({ state }) => state).join();
  /** Expects exit code 0 and these texts on standard error. Resolves to standard output. */
  const does = async (words: string, ...said: readonly RegExp[]): Promise<string> => {
    const { code, stdout, stderr } = await operator.run(words);
    expect(code, `${words}\n${stderr}`).to.equal(0);
    for (const text of said) expect(stderr, words).to.match(text);
    return stdout.replace(/\n$/, '');
  };
  const rejects = async (words: string, said: RegExp): Promise<void> =>
    expectRefusal(await operator.run(words), said);

  beforeEach(async () => {
    await operator.clear();
    await does('organizations set acme --name Acme --per-minute 20', /^Organization acme was crea/);
  });

  describe('keys issue', () => {
    it('prints a key once and stores only its hash, which the log omits', async () => {
      const { id, text } = await issue('current', '--expires 365d --reason contract --actor eve');
      expect(text).to.match(/^aik_[0-9A-Za-z]{9}_[0-9A-Za-z]{49}$/);
      expect(await stored(id)).to.deep.equal({
        ...{ _id: id, hash: keyHash(text), organization_id: 'acme', partner: 'Acme Radio' },
        ...{ form: 'current', scopes: readScopes.split(',') },
        ...{ created_at: new Date(now), expires_at: inDays(365) },
      });
      const shown = await operator.json<Policy & { readonly last_change: LogRow }>('keys show', id);
      expect(shown.windows.map(({ window, limit }) => `${limit} a ${window}`).join()).to.equal(
        '20 a minute,1000 a day',
      );
      expect(shown).to.include({ state: 'active' });
      const change = { action: 'keys issue', actor: 'eve', reason: 'contract' };
      expect(shown.last_change).to.include(change);
      expect(await does(`keys show ${id}`)).to.include(`${now} keys issue by eve: contract`);
      const log = await does(`keys log --key ${id}`);
      expect(log.split('\n')).to.have.length(2);
      expect(log).to.include(`\teve\tkeys issue\tacme\t${id}\tcontract\tpartner: Acme Radio; `);
      for (const secret of [text, keyHash(text), 'hash'])
        expect(log + JSON.stringify(shown)).not.to.include(secret);
    });

    it('gives a key the default scopes of its form, or exactly the listed scopes', async () => {
      for (const [form, options, scopes] of [
        ['current', '', readScopes],
        ['variant', '', `${readScopes},editorial:read`],
        ['variant', `--scopes ${readScopes}`, readScopes],
        ['current', '--scopes spikes:read', 'spikes:read'],
      ] as const) {
        const { id } = await issue(form, options);
        expect(String((await stored(id))?.['scopes']), `${form} ${options}`).to.equal(scopes);
      }
    });

    it('prints the id and the key with --json, and when the key expires', async () => {
      const words = 'keys issue --organization acme --form current --partner P';
      const { stdout, stderr } = await operator.run(`${words} --expires 2026-08-23 --json`);
      const { id, key } = JSON.parse(stdout);
      expect(keyIdIn(key)).to.equal(id);
      expect(stderr).to.match(
        /^Key \w+ of acme was issued to P with .*; it expires at 2026-08-23T00:00:00\.000Z\.\n.*not shown again:\n$/,
      );
      await does(words, /; it does not expire/);
    });
  });

  describe('keys list', () => {
    beforeEach(async () => {
      let createdAt = inDays(-400).getTime();
      const key = (id: string, given: object) =>
        keyDocument({ id, createdAt: createdAt++, ...given });
      await operator
        .collection('api_keys')
        .insertMany([
          key('young', { createdAt: Date.parse(now), sunset: '2026-08-22' }),
          key('soon', { expiresAt: inDays(10).getTime() }),
          key('later', { expiresAt: inDays(100).getTime(), form: 'variant', sunset: '2026-09-21' }),
          key('over', { expiresAt: inDays(-1).getTime() }),
          key('gone', { revokedAt: inDays(-1).getTime() }),
          key('other', { organizationId: 'other' }),
        ]);
    });

    it('filters by organization and expiry, oldest key first', async () => {
      for (const [options, ids] of [
        ['--organization acme', 'soon,later,over,gone,young'],
        ['--expires-within 30d', 'soon,over'],
        ['--organization acme --expires-within 100d', 'soon,later,over'],
      ] as const) {
        const rows = await operator.json<readonly Policy[]>(`keys list ${options}`);
        expect(rows.map(({ id }) => id).join(), options).to.equal(ids);
      }
    });

    it('prints the columns of a key, and a count of keys that expire soon', async () => {
      const rows = await does('keys list', /\n1 key expires within 30 days: list them with /);
      expect(rows.split('\n')[0]).to.equal(
        'key\torganization\tpartner\tform\ttrial\tscopes\tstate\texpires\treplaced by\tsunset',
      );
      expect(rows).to.match(/^young\tacme\t.*\tcurrent\t\t\S+\tactive\tnever\t\t2026-08-22$/m);
      await damage('later', { expires_at: inDays(30) });
      await does('keys list', /^2 keys expire within/m);
      await does('organizations set empty --name E');
      await does('keys list --organization empty', /\nNo keys match\.\n$/);
      await does('keys list --expires-within 30d', /^(?!.*keys expire)/s);
    });
  });

  describe('keys set', () => {
    it('writes only what differs, and keeps members of other programs', async () => {
      const { id } = await issue('variant');
      await damage(id, { crm: 'x' });
      await does(`keys set ${id} --per-hour 5 --partner TV`, /was changed: gateways apply it with/);
      const changed = { partner: 'TV', quota: { per_hour: 5 }, crm: 'x' };
      expect(await stored(id)).to.deep.include(changed);
      expect(await does(`keys log --key ${id}`)).to.match(
        /\tpartner: Acme Radio → TV; quota: – → \{"per_hour":5\}$/m,
      );
      await does(`keys set ${id} --per-hour default --allow-envelope-override`);
      const after = await stored(id);
      expect(after).to.include({ allow_envelope_override: true }).and.not.have.property('quota');
      await does(`keys set ${id} --partner TV`, /^No change: key \w+ already has these settings\./);
      expect(await logOf(id, 'keys set')).to.have.length(2);
      expect(await operator.json(`keys set ${id} --partner Q`)).to.include({ id, partner: 'Q' });
    });

    it('records the user of sudo for root, else the user', async () => {
      const { id } = await issue('current');
      const { uid, username } = userInfo();
      const settings = { ...operator.settings, SUDO_USER: 'alice' };
      await runWarm(settings, ['keys', 'set', id, '--partner', 'P']);
      await does(`keys set ${id} --partner Q`);
      const actors = (await logOf(id, 'keys set')).map(({ actor }) => actor);
      expect(actors).to.have.members([uid === 0 ? 'alice' : username, username]);
    });
  });

  it('keys sunset announces a day and withdraws it, with an audit record of each', async () => {
    const { id } = await issue('variant');
    const announced =
      /in the variant form: 2027-06-30\. .* nothing is switched off on that day\.\n$/;
    await does(`keys sunset ${id} --on 2027-06-30 --actor eve --reason contract`, announced);
    const sunset = { sunset: '2027-06-30', deprecated_at: new Date(now) };
    expect(await stored(id)).to.deep.include(sunset);
    await does(`keys sunset ${id} --on 2027-06-30`, /^No change: /);
    await does(`keys sunset ${id} --on never`, /^Sunset removed; gateways stop sending it within/);
    expect(await stored(id)).not.to.have.any.keys(Object.keys(sunset));
    const records = (await logOf(id, 'keys sunset')).map(({ reason, before }) => [reason, before]);
    expect(records).to.have.deep.members([
      ['contract', {}],
      [undefined, { sunset: '2027-06-30', deprecated_at: now }],
    ]);
  });

  describe('keys rotate', () => {
    it('copies the policy to a successor, and expires the key after the overlap', async () => {
      const { id } = await issue('variant', '--per-hour 7 --allow-envelope-override --expires 30d');
      await damage(id, { created_at: inDays(-9), expires_at: inDays(21) });
      const before = await stored(id);
      const text = await does(
        `keys rotate ${id} --overlap 7d --reason yearly`,
        new RegExp(
          `Key (\\w+) replaces ${id}, which is valid until ${inDays(7).toISOString()}\\.\n`,
        ),
        new RegExp(`Key \\w+ expires at ${inDays(30).toISOString()}\\.\n`),
      );
      const successor = keyIdIn(text) ?? '';
      const own = { _id: successor, hash: keyHash(text), created_at: new Date(now) };
      expect(await stored(successor)).to.deep.equal({ ...before, ...own, expires_at: inDays(30) });
      const ended = { replaced_by: successor, expires_at: inDays(7) };
      expect(await stored(id)).to.deep.equal({ ...before, ...ended });
      const [issued] = await logOf(successor, 'keys issue');
      expect(issued?.reason).to.equal(`successor of ${id}: yearly`);
      expect(await does(`keys log --key ${id}`)).to.match(
        new RegExp(`\texpires_at: \\S+Z → \\S+Z; replaced_by: – → ${successor}$`, 'm'),
      );
      expect(await does(`keys show ${id}`)).to.include(`\nreplaced by\t${successor}\n`);
      expect(await operator.json('keys list --expires-within 8d')).to.deep.equal([]);
      await rejects(
        `keys rotate ${id} --overlap 1h`,
        new RegExp(`^Key ${id} was rotated: ${successor} replaces it\\. Rotate that one, or `),
      );
    });

    it('rejects a successor that expires in the overlap, and warns if the key does', async () => {
      const { id } = await issue('variant');
      expectUsageError(
        await operator.run(`keys rotate ${id} --overlap 30d --expires 7d`),
        /^The successor would expire at 2026-08-29T12:\S+Z, before \w+ at 2026-09-21T12:\S+Z: /,
      );
      await does(`keys rotate ${id} --overlap 7d --expires 7d`);
      const { id: other } = await issue('current', '--expires 7d');
      await does(
        `keys rotate ${other} --overlap 30d`,
        /, which is valid until 2026-08-29\S+Z, not for the whole overlap: it expires then anyway\./,
      );
    });

    it('revokes a rotated or expired key without a new successor with `--overlap 0s`', async () => {
      const { id } = await issue('variant');
      const successor = keyIdIn(await does(`keys rotate ${id} --overlap 7d`));
      expect(await stored(successor ?? '')).not.to.have.property('expires_at');
      await rejects(
        `keys rotate ${id} --overlap 0s --reason leaked`,
        new RegExp(
          `^Key ${id} is revoked: .* within 5 seconds\\. ${successor} replaces it already\\.$`,
        ),
      );
      expect(await stored(id)).to.deep.include({ revoked_at: new Date(now) });
      const [record] = (await logOf(id, 'keys rotate')).filter(({ reason }) => reason === 'leaked');
      expect(record?.after).to.deep.equal({ revoked_at: now });
      await rejects(
        `keys rotate ${id} --overlap 0s`,
        new RegExp(`^Key ${id} has been revoked since .*: ${successor} replaces it\\.$`),
      );
      await does(`keys rotate ${successor} --overlap 0s`, /, which gateways refuse within/);
      expect(await stored(successor ?? '')).to.deep.include({ revoked_at: new Date(now) });
      const { id: over } = await issue('variant');
      await damage(over, { expires_at: inDays(-1) });
      const ended =
        /^Key \w+ is revoked: .* has been expired since .*, so it has no successor: issue/;
      await rejects(`keys rotate ${over} --overlap 0s`, ended);
    });

    it('names the previous key if its successor is revoked', async () => {
      const { id } = await issue('current', '--expires 365d');
      const successor = keyIdIn(await does(`keys rotate ${id} --overlap 7d`));
      await does(
        `keys revoke ${successor} --yes --reason lost`,
        new RegExp(
          `refuse it within 5 seconds\\.\nThe previous key ${id} is valid until 2026-08-29T12`,
        ),
      );
      expect(await operator.json('keys list --expires-within 400d')).to.deep.equal([]);
      await rejects(
        `keys rotate ${id} --overlap 0s`,
        /It was rotated\. Key \w+ has been revoked since \S+, too: issue a key instead\.$/,
      );
    });

    it('notes at each change of the previous key that its successor is unchanged', async () => {
      const { id } = await issue('variant');
      const successor = keyIdIn(await does(`keys rotate ${id} --overlap 7d`));
      const noted = new RegExp(`\nKey ${successor} replaces it and is not changed: `);
      for (const words of [
        'sunset K --on 2999-06-30',
        'set K --per-hour 7',
        'pin K --form current',
      ])
        await does(`keys ${words.replace('K', id)} --reason r`, noted);
      await does(`keys set ${successor} --per-hour 7`, /^(?!.*replaces it)/s);
      await does(`keys revoke ${successor} --yes --reason r`);
      await does(`keys pin ${id} --form variant --reason r`, /^Key \w+ moved(?!.*replaces it)/s);
    });
  });

  describe('keys pin', () => {
    const pin = (id: string, options: string, ...said: readonly RegExp[]) =>
      does(`keys pin ${id} ${options} --reason ticket`, ...said);

    it('keeps all settings of a key, and names those that do not apply', async () => {
      const { id } = await issue('variant', '--per-hour 7 --allow-envelope-override');
      await does(`keys sunset ${id} --on 2999-06-30`);
      const before = await stored(id);
      await pin(
        id,
        '--form current',
        /gateways switch within 5 seconds\.\nNew limits: 20 a minute, 1000 a UTC day, counted for/,
        /7 requests an hour does not apply.*\n.*2999-06-30 is kept, but the current form/,
      );
      await pin(
        id,
        '--form variant',
        /New limits: 7 an hour, counted for key:.*\n.*applies again\.\n.*announce again/,
      );
      expect(await stored(id)).to.deep.equal(before);
      await pin(id, '--form variant', /^No change: /);
    });

    it('stores a trial with its end, which --back and each --form remove', async () => {
      const until = '2026-08-22T12:30:00.000Z';
      const { id } = await issue('variant', '--per-hour 7');
      const before = await stored(id);
      const isBack =
        /^The trial of key \w+ has ended: gateways switch back .*\nNew limits: 7 an hour/;
      for (const [options, said, form] of [
        ['--back', isBack, 'variant'],
        ['--form variant', isBack, 'variant'],
        ['--form current', /moved to the current form/, 'current'],
      ] as const) {
        await pin(
          id,
          '--form current --for 30m',
          /^Key \w+ is trying the current form: gateways switch .*, and back to the variant form at /,
          /\nNew limits: 20 a minute, .*\nTo end it earlier: artist-gateway keys pin \w+ --back/,
        );
        expect(await stored(id)).to.deep.equal({
          ...before,
          trial: { form: 'current', until: new Date(until) },
        });
        const shown = await operator.json<Policy>('keys show', id);
        expect(shown).to.deep.include({ form: 'variant', trial: { form: 'current', until } });
        expect(await does('keys list')).to.include(`\tvariant\tcurrent until ${until}\t`);
        await does(`keys set ${id} --partner P`);
        await pin(id, options, said);
        await damage(id, { partner: 'Acme Radio' });
        expect(await stored(id)).to.deep.equal({ ...before, form });
      }
      const trial = { trial: { form: 'current', until } };
      const changes = (await logOf(id, 'keys pin')).map(({ before: was, after }) => [was, after]);
      expect(changes).to.deep.include.members([
        [{}, trial],
        [trial, {}],
        [{ form: 'variant', ...trial }, { form: 'current' }],
      ]);
    });

    it('rejects scopes that the form of a running trial does not allow', async () => {
      const { id } = await issue('current');
      await pin(id, '--form variant --for 5m');
      const set = `keys set ${id} --scopes artists:read`;
      await rejects(
        set,
        /needs .*: add spikes:read, signings:read\. Key \w+ is trying that form until 2026-08-22T12:05:00.*; to end the trial: artist-gateway keys pin \w+ --back --reason TEXT$/,
      );
      await pin(id, '--back');
      await does(set);
    });

    it('rejects an invalid trial duration or form, and changes nothing', async () => {
      const { id } = await issue('variant');
      const before = await stored(id);
      for (const [options, said] of [
        ['--form current --for 59s', /^A trial lasts 1 minute to 7 days/],
        ['--form current --for 169h', /^A trial lasts 1 minute to 7 days/],
        ['--form variant --for 1h', /there is nothing to try/],
        ['--form current --back', /--back/],
        ['', /^Give the form with --form FORM, or end a trial with --back/],
      ] as const)
        expectUsageError(
          await operator.run(`keys pin ${id} --reason r ${options}`.trimEnd()),
          said,
        );
      await rejects(`keys pin ${id} --back --reason r`, /^Key \w+ is not in a trial: gateways /);
      expect(await stored(id)).to.deep.equal(before);
    });

    it('warns of what the usage of a key says before it moves the key', async () => {
      const { id } = await issue('variant');
      const today = dayOf(Date.now());
      const total = dayTotal({ keyId: id, day: today, uses: { '?new=3': 3 } });
      await createMongoUsage(operator.db).write({ days: [total], hours: [] });
      const report = await does(`migration report ${id}`);
      expect(report)
        .to.match(/^\/artists\?new=3\t200\t3\t.*\t\/added\?days=3$/m)
        .and.match(/^quota after the move\t20 a minute, 1000 /m);
      const [, line = ''] = /\n(ready after renames: \d+ things to change)$/.exec(report) ?? [];
      await pin(id, '--form current', new RegExp(`^Warning: ${line}\\.\nKey ${id} moved`));
      await pin(id, '--form variant', /^(?!.*Warning)/s);
      await operator.collection('usage').deleteMany({});
    });
  });

  describe('on an unreadable key', () => {
    const readAdvice = (id: string) =>
      new RegExp(`^${id} cannot be read \\(sunset: .*\\): correct its document, or end it with "a`);
    let id = '';
    beforeEach(async () => {
      ({ id } = await issue('variant'));
      await damage(id, { sunset: 'soon' });
    });

    it('revoke it, and reject every other change with what to do', async () => {
      expect(await does('keys list')).to.match(new RegExp(`^${id}\t.*\tunreadable\t\t\t$`, 'm'));
      expect(await operator.json('keys list --expires-within 30d')).to.deep.equal([]);
      for (const words of [
        'keys show K',
        'keys rotate K --overlap 1s',
        'keys set K --partner P',
        'keys sunset K --on never',
        'migration report K',
      ])
        await rejects(words.replace('K', id), readAdvice(id));
      const revoked = await operator.json(`keys revoke ${id} --yes --reason leaked`);
      expect(revoked).to.include({ id, state: 'revoked' });
      expect(await states()).to.equal('revoked');
      expect(await stored(id)).to.deep.include({ sunset: 'soon', revoked_at: new Date(now) });
      const [record] = await logOf(id, 'keys revoke');
      expect(record).to.deep.include({ before: {}, after: { revoked_at: now }, reason: 'leaked' });
      await rejects(
        `keys show ${id}`,
        /is revoked, and cannot be read .*: correct its document\.$/,
      );
    });

    it('rotate it without overlap by revoking it', async () => {
      await rejects(
        `keys rotate ${id} --overlap 0s`,
        /^Key \w+ is revoked: .* cannot be read, so it has no successor: issue a key instead\.$/,
      );
      expect(await states()).to.equal('revoked');
    });
  });

  it('revoke a key without its organization, and list it as revoked', async () => {
    const { id } = await issue('variant');
    await operator.collection('organizations').deleteMany({});
    expect(await states()).to.equal('no organization');
    const settings = { ...operator.settings, KEYS_REFRESH_SECONDS: '60' };
    const args = ['keys', 'revoke', id, '--yes', '--reason', 'leaked', '--json'];
    const { stdout, stderr } = await runWarm(settings, args);
    expect(stderr).to.include('gateways refuse it within 61 seconds.');
    expect(JSON.parse(stdout)).to.include({ id, state: 'revoked' });
    expect(await states()).to.equal('revoked');
    expect(await operator.json('usage')).to.deep.equal([]);
  });

  it('suspend an unreadable organization, and create none over it', async () => {
    const { id } = await issue('variant');
    await damage('acme', { name: 7 }, 'organizations');
    const advice =
      /^acme cannot be read \(name: .*\): correct its document, or end it with "artist-gateway organizations suspend acme"\.$/;
    const changes = ['organizations set acme --name Acme', 'organizations resume acme'];
    const issued = 'keys issue --organization acme --form current --partner P';
    for (const words of [...changes, issued, 'migration report acme']) await rejects(words, advice);
    expect(await states()).to.equal('unreadable');
    const checks = await examine(operator.settings);
    expect(checks.get('organizations')).to.equal('ok: every key has an organization');
    expect(checks.get('keys')).to.match(/^fail: none of 1 is accepted: 1 unreadable/);
    const row = { id: 'acme', keys: 1, unreadable: true };
    expect(await operator.json('organizations list')).to.deep.equal([row]);
    expect(await does('organizations list')).to.match(/^acme\t\t1\t\t\tunreadable$/m);
    const usage = async () => (await operator.json<readonly UsageRow[]>('usage'))[0];
    expect(await usage()).to.include({ key_id: id, state: 'unreadable' });
    const suspended = await operator.json('organizations suspend acme --yes --reason unpaid');
    expect(suspended).to.deep.equal({ ...row, suspended_at: now });
    expect(await operator.json('organizations list')).to.deep.equal([suspended]);
    expect(await usage()).to.include({ state: 'suspended' });
    for (const words of changes)
      await rejects(
        words,
        /^acme is suspended, and cannot be read \(name: .*\): correct its docum/,
      );
    expect(await states()).to.equal('suspended');
    await rejects('organizations suspend acme', /^acme has been suspended since /);
  });

  it('organizations set, suspend and resume change an organization, and print it', async () => {
    const { id } = await issue('variant');
    const row = { id: 'acme', name: 'Acme', keys: 1 };
    const set = 'organizations set acme';
    await does(`${set} --per-day 5000 --per-minute default`, /^.* was changed\.\n$/);
    expect(await operator.json('organizations list')).to.deep.equal([{ ...row, per_day: 5000 }]);
    await does(`${set} --per-day default --per-minute 3`);
    const document = { _id: 'acme', name: 'Acme', quota: { per_minute: 3 } };
    expect(await stored('acme', 'organizations')).to.deep.equal(document);
    await does(`${set} --per-minute 3`, /^No change: organization acme already has/);
    const suspended = await operator.json('organizations suspend acme --yes --reason unpaid');
    expect(suspended).to.deep.equal({ ...row, per_minute: 3, suspended_at: now });
    const noted = /\nGateways refuse it while acme is suspended\.\n/;
    await does('keys issue --organization acme --form current --partner P', noted);
    await does(`keys pin ${id} --form current --for 30m --reason r`, noted);
    await does(`keys pin ${id} --form current --reason r`, noted);
    expect(await does(`keys show ${id}`)).to.include(`\nsuspended\t${now}\n`);
    await does('organizations resume acme', /^Organization acme is resumed: gateways accept /);
    await does(`keys pin ${id} --form variant --reason r`, /^(?!.*suspended)/s);
  });

  // A command that leaves a resource open does not end in a process of its own.
  for (const words of ['quota show acme', 'compare --case health', 'doctor'])
    it(`\`${words}\` ends in a process of its own with the same output`, async () => {
      const [own, here] = [
        await run(operator.settings, words.split(' ')),
        await operator.run(words),
      ];
      expect(withoutTimes(own)).to.deep.equal(withoutTimes(here));
    });
});
