import { expect } from 'chai';
import { createMongoUsage } from '../../adapters/stores/mongodb/usage.ts';
import { addDays, dayOf } from '../../src/domain/day.ts';
import type { UsageCount } from '../../src/domain/usage.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import type { UsageRow } from '../../tools/cli/usage/rows.ts';
import { keyDocument, useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import { dayTotal } from '../support/usage.ts';

describe('usage', () => {
  const operator = useOperatorEnvironment();
  const now = systemClock().now();
  const today = dayOf(now);
  const at = new Date(now).toISOString();

  const key = (id: string, given: Parameters<typeof keyDocument>[0] = {}) =>
    keyDocument({ id, partner: `Partner of ${id}`, form: 'variant', ...given });

  /** Counts of one gateway, from the latest call to the first. */
  const counts: readonly Partial<UsageCount>[] = [
    { status: 401, requests: 1 },
    { requests: 2, uses: { 'limit>100': 1, 'fields=basic': 2 } },
    { requests: 3 },
    { status: 429, requests: 4 },
    { status: 404, requests: 2, uses: { 'fields=basic': 1 } },
    { status: 500, requests: 1 },
    { keyId: 'key2', form: 'current', organizationId: 'other', route: '/api/v1/added' },
    { keyId: 'key2', form: 'variant', organizationId: 'other' },
    { keyId: 'gone', status: 401 },
    { keyId: 'removed', organizationId: 'previous', route: undefined, status: 404 },
    { day: addDays(today, -29), route: '/api/v1/spikes' },
    { day: addDays(today, -30), route: '/api/v1/signings' },
  ];

  before(async () => {
    for (const id of ['acme', 'other']) await operator.done('organizations set', id, '--name', id);
    await operator
      .collection('api_keys')
      .insertMany([
        key('key1', { partner: 'Acme "Radio"' }),
        key('key2', { form: 'current', organizationId: 'other' }),
        key('silent'),
        key('quiet', { form: 'current' }),
        key('gone', { revokedAt: now - 1 }),
        key('mute', { revokedAt: now - 1 }),
        key('over', { expiresAt: now }),
      ]);
    const common = { day: today, requests: 1, uses: {} };
    const days = counts.map((given, index) =>
      dayTotal({ id: `one:${index}`, ...common, lastAt: now - index, ...given }),
    );
    await createMongoUsage(operator.db).write({ days, hours: [] });
  });

  const listed = async (...args: string[]) =>
    (await operator.json<readonly UsageRow[]>('usage', ...args)).map(({ key_id, form, route }) =>
      [key_id, form, route?.replace('/api/v1', '')].filter(Boolean).join(' '),
    );

  it('lists 30 days by key, form and route, the latest call first', async () => {
    expect(await listed()).to.deep.equal([
      'key1 variant /artists',
      'key1 variant /spikes',
      'key2 current /added',
      'key2 variant /artists',
      'gone variant /artists',
      'removed variant',
      'quiet',
      'silent',
    ]);
  });

  it('sums days and statuses, and prints the state of each key', async () => {
    const lines = (await operator.done('usage')).split('\n');
    const artists = `key1\tacme\tAcme "Radio"\tactive\tvariant\t/api/v1/artists\t13\t4\t3\t1`;
    expect(lines[1]).to.equal(`${artists}\tfields=basic 3, limit>100 1\t${at}`);
    expect(lines[5]).to.match(
      /^gone\tacme\tPartner of gone\trevoked\tvariant\t\/api\/v1\/artists\t1\t0\t1\t0\t/,
    );
    expect(lines[8]).to.equal(
      'silent\tacme\tPartner of silent\tactive\tvariant\t\t0\t0\t0\t0\t\tnot in 30 d',
    );
  });

  it('prints no last call in the future, even if a gateway clock is ahead', async () => {
    const ahead = { id: 'ahead', day: today, keyId: 'ahead', lastAt: now + 3_600_000 };
    await createMongoUsage(operator.db).write({ days: [dayTotal(ahead)], hours: [] });
    const [row] = await operator.json<readonly UsageRow[]>('usage --days 1');
    expect(row?.key_id).to.equal('ahead');
    expect(Date.parse(row?.last_call_at ?? '')).to.be.below(now + 3_600_000);
    await operator.collection('usage').deleteOne({ key_id: 'ahead' });
  });

  it('selects by --days, --form and --organization', async () => {
    expect(await listed('--days', '1', '--form', 'current')).to.deep.equal([
      'key2 current /added',
      'quiet',
    ]);
    expect(await listed('--days', '31', '--form', 'variant')).to.deep.equal([
      'key1 variant /artists',
      'key1 variant /spikes',
      'key1 variant /signings',
      'key2 variant /artists',
      'gone variant /artists',
      'removed variant',
      'silent',
    ]);
    const quiet = (await operator.done('usage --days 1 --form current')).trim().split('\n').at(-1);
    expect(quiet).to.match(/^quiet\t.*\tnot in 1 d \(current form\)$/);
    expect(await listed('--organization', 'other')).to.deep.equal([
      'key2 current /added',
      'key2 variant /artists',
    ]);
  });

  it('prints JSON and CSV', async () => {
    const [row] = await operator.json<readonly UsageRow[]>('usage --days 1 --form variant');
    const uses = { 'fields=basic': 3, 'limit>100': 1 };
    expect(row).to.deep.include({ key_form: 'variant', uses, last_call_at: at });
    const csv = (await operator.done('usage --days 1 --csv')).split('\r\n');
    expect(csv[0]).to.match(
      /^key,organization,partner,state,form,route,requests,refused,client errors,/,
    );
    expect(csv[1]).to.equal(
      `key1,acme,"Acme ""Radio""",active,variant,/api/v1/artists,13,4,3,1,"fields=basic 3, limit>100 1",${at}`,
    );
  });
});
