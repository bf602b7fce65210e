import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { expect } from 'chai';
import { addDays, dayOf } from '../../src/domain/day.ts';
import { keyHash, keyIdIn } from '../../src/keys/key-format.ts';
import type { LogRow } from '../../tools/cli/keys/log.ts';
import type { Policy } from '../../tools/cli/policy.ts';
import { readScopes, useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import { runWarm } from '../support/cli/warm-command.ts';

const day = 86_400_000;

/** What `keys show --json` prints. */
type Shown = Policy & { readonly last_change: LogRow };

describe('keys', () => {
  const operator = useOperatorEnvironment();
  const issue = (form: string, ...more: string[]) =>
    operator.issue(form, '--actor', 'eve', ...more);
  const stored = (id: string) => operator.collection('api_keys').findOne({ _id: id });
  const entries = (key_id: string) => operator.collection('key_log').find({ key_id }).toArray();

  before(async () => {
    await operator.done(
      'organizations set acme --name',
      'Acme Music',
      '--per-minute',
      '20',
      '--actor',
      'eve',
    );
  });

  it('keys issue prints the text alone and stores only its hash, which the log has not either', async () => {
    const { id, text } = await issue('current', '--expires', '365d', '--reason', 'contract 14');
    expect(text).to.match(/^aik_[0-9A-Za-z]{9}_[0-9A-Za-z]{49}$/);
    const document = await stored(id);
    expect(document).to.include({ hash: keyHash(text), organization_id: 'acme', form: 'current' });
    expect(JSON.stringify(document)).not.to.include(text);
    const shown = await operator.done(`keys show ${id} --json`);
    expect(shown).not.to.include(text).and.not.to.include(keyHash(text));
    const {
      state,
      windows,
      created_at = '',
      expires_at = '',
      last_change,
    }: Shown = JSON.parse(shown);
    expect(state).to.equal('active');
    expect(windows.map(({ window, limit }) => `${limit} a ${window}`)).to.deep.equal([
      '20 a minute',
      '1000 a day',
    ]);
    expect(Date.parse(expires_at) - Date.parse(created_at)).to.equal(365 * day);
    expect(last_change).to.deep.include({
      action: 'keys issue',
      actor: 'eve',
      reason: 'contract 14',
    });
    const all = JSON.stringify(await operator.collection('key_log').find({}).toArray());
    const log = await operator.done(`keys log --key ${id}`);
    expect(log.trim().split('\n')).to.have.length(2);
    expect(log).to.include(`\teve\tkeys issue\tacme\t${id}\t`);
    for (const secret of [text, keyHash(text), 'hash']) expect(all + log).not.to.include(secret);
  });

  for (const [form, listed, scopes] of [
    ['current', [], readScopes],
    ['variant', [], `${readScopes},editorial:read`],
    ['variant', ['--scopes', readScopes], readScopes],
    ['current', ['--scopes', 'spikes:read'], 'spikes:read'],
  ] as const)
    it(`keys issue --form ${form} ${listed.join(' ')} gives exactly ${scopes}`, async () => {
      const { id } = await issue(form, ...listed);
      expect((await stored(id))?.['scopes']).to.deep.equal(scopes.split(','));
    });

  it('keys issue takes the day on which a key expires, and keys list tells of those within 30 days', async () => {
    const tomorrow = addDays(dayOf(Date.now()), 1);
    const { id } = await issue('current', '--expires', tomorrow);
    expect(await stored(id)).to.deep.include({ expires_at: new Date(tomorrow) });
    const { stderr } = await operator.run('keys list');
    expect(stderr).to.equal(
      '1 key expires within 30 days: list them with --expires-within 30d, and replace each that has not expired with "keys rotate".\n',
    );
    await operator.done(`keys revoke ${id} --yes --reason planted`);
    expect((await operator.run('keys list')).stderr).to.equal('');
  });

  it('keys rotate issues a successor with the same policy, and ends the previous key with the overlap', async () => {
    const { id: previous } = await issue(
      'variant',
      '--per-hour',
      '7',
      '--allow-envelope-override',
      '--expires',
      '30d',
    );
    const original = await stored(previous);
    const text = await operator.done(`keys rotate ${previous} --overlap 7d --reason yearly`);
    const successor = keyIdIn(text.trim()) ?? 'no key';
    const after = await stored(successor);
    const now = Number(after?.['created_at']);
    const own = { _id: successor, hash: keyHash(text.trim()), created_at: new Date(now) };
    expect(after).to.deep.equal({ ...original, ...own, expires_at: new Date(now + 30 * day) });
    const ended = { replaced_by: successor, expires_at: new Date(now + 7 * day) };
    expect(await stored(previous)).to.deep.equal({ ...original, ...ended });
    expect((await entries(previous)).at(-1)).to.include({
      action: 'keys rotate',
      reason: 'yearly',
    });
    expect(await entries(successor)).to.have.nested.property(
      '[0].reason',
      `successor of ${previous}: yearly`,
    );
    const log = await operator.done(`keys log --key ${previous}`);
    expect(log).to.match(
      new RegExp(`\\texpires_at: \\d{4}-\\S+Z → \\d{4}-\\S+Z; replaced_by: – → ${successor}$`, 'm'),
    );
  });

  it('keys sunset, set and pin of a rotated key note that its successor is not changed, unless it is revoked', async () => {
    const { id: previous } = await issue('variant');
    const text = await operator.done(`keys rotate ${previous} --overlap 7d --reason yearly`);
    const successor = keyIdIn(text.trim()) ?? 'no key';
    const noted = `\nKey ${successor} replaces it and is not changed: change it too where it needs the same.\n`;
    const changes = [
      `keys sunset ${previous} --on 2999-06-30`,
      `keys set ${previous} --per-hour 7`,
      `keys pin ${previous} --form current`,
    ];
    for (const command of changes)
      expect((await operator.run(`${command} --reason test`)).stderr, command).to.include(noted);
    expect((await operator.run(`keys set ${successor} --per-hour 7`)).stderr).to.not.include(
      'replaces it',
    );
    await operator.done(`keys revoke ${successor} --yes --reason test`);
    expect(
      (await operator.run(`keys pin ${previous} --form variant --reason test`)).stderr,
    ).to.match(/^Key \w+ moved to the variant form(?!.*replaces it)/s);
  });

  it('keys log and keys show have records whose date is missing or is none', async () => {
    const { id } = await issue('current');
    const record = { actor: 'eve', action: 'by hand', organization_id: 'acme' };
    for (const odd of [{}, { at: 'yesterday' }, { at: null }])
      await operator
        .collection('key_log')
        .insertOne({ _id: randomUUID(), ...record, ...odd, key_id: id });
    const lines = (await operator.done(`keys log --key ${id}`)).split('\n');
    expect(lines.filter((line) => line.startsWith(`\teve\tby hand\tacme\t${id}\t`))).to.have.length(
      3,
    );
    expect(await operator.json<object[]>(`keys log --key ${id}`)).to.have.length(4);
    await operator.collection('key_log').deleteMany({ key_id: id, action: 'keys issue' });
    expect(await operator.done(`keys show ${id}`)).to.include(
      'last change\tat no readable time by hand by eve',
    );
  });

  it('keys set of root is logged with the user of sudo, of another user with its own name', async () => {
    const { id } = await issue('current');
    const { uid, username } = userInfo();
    const settings = { ...operator.settings, SUDO_USER: 'alice' };
    expect((await runWarm(settings, ['keys', 'set', id, '--partner', 'P'])).code).to.equal(0);
    expect((await entries(id)).at(-1)).to.include({ actor: uid === 0 ? 'alice' : username });
    await operator.done('keys set', id, '--partner', 'Q');
    expect((await entries(id)).at(-1)).to.include({ actor: username });
  });

  it('keys set writes only the members that differ, and notes when none does', async () => {
    const { id } = await issue('variant');
    await operator.collection('api_keys').updateOne({ _id: id }, { $set: { crm: 'x' } });
    await operator.done(`keys set ${id} --per-hour 5 --partner`, 'Acme TV');
    expect(await stored(id)).to.deep.include({
      partner: 'Acme TV',
      quota: { per_hour: 5 },
      crm: 'x',
    });
    await operator.done(`keys set ${id} --per-hour default --allow-envelope-override`);
    const after = await stored(id);
    expect(after).to.include({ allow_envelope_override: true });
    expect(after).not.to.have.property('quota');
    const same = await operator.run(`keys set ${id} --partner`, 'Acme TV');
    expect(same).to.deep.equal({
      code: 0,
      stdout: '',
      stderr: `No change: key ${id} already has these settings.\n`,
    });
    expect(await entries(id)).to.have.length(3);
    const log = await operator.done(`keys log --key ${id}`);
    expect(log).to.match(/\tpartner: Acme Radio → Acme TV; quota: – → \{"per_hour":5\}$/m);
  });
});
