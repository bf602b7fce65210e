import { expect } from 'chai';
import { toUsageRows } from '../../adapters/cli/usage/rows.ts';
import { keyMembers } from '../../adapters/stores/documents/key-documents.ts';
import { createMongoUsage } from '../../adapters/stores/mongodb/usage.ts';
import { addDays, dayOf } from '../../src/domain/day.ts';
import type { DayTotal, UsageCount } from '../../src/domain/usage.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { buildKey, buildOrganization } from '../support/builders.ts';
import { expectRefusal, useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import { buildUsageCount } from '../support/usage.ts';

const noon = Date.parse('2026-08-22T12:00:00Z');

const count = (given: Partial<UsageCount> = {}): UsageCount =>
  buildUsageCount({ keyId: 'key1', organizationId: 'acme', requests: 1, lastAt: noon, ...given });

const keyRecord = (id: string, given: Parameters<typeof buildKey>[0] = {}) =>
  buildKey({ id, organizationId: 'acme', partner: `Partner of ${id}`, form: 'variant', ...given }).record;

const known = {
  keys: [
    keyRecord('key1'),
    keyRecord('key2', { form: 'current' }),
    keyRecord('silent'),
    keyRecord('gone', { revokedAt: noon - 1 }),
    keyRecord('over', { expiresAt: noon }),
  ],
  organizations: [buildOrganization({ id: 'acme' })],
  now: noon,
};

describe('the rows of usage', () => {
  it('sum days and statuses of a key, form and route', () => {
    const [row] = toUsageRows(
      [
        count({ requests: 5, uses: { new: 2, 'limit>100': 4 } }),
        count({ day: '2026-08-21', requests: 3, uses: { new: 3 }, lastAt: noon - 9 }),
        count({ status: 429, requests: 7 }),
        count({ status: 404, requests: 2 }),
        count({ status: 401, requests: 1, lastAt: noon + 1 }),
        count({ status: 500, requests: 1 }),
      ],
      known,
    );
    expect(row).to.deep.equal({
      organization_id: 'acme',
      key_id: 'key1',
      partner: 'Partner of key1',
      key_form: 'variant',
      state: 'active',
      form: 'variant',
      route: '/api/v1/artists',
      requests: 19,
      refused: 7,
      client_errors: 3,
      server_errors: 1,
      uses: { new: 5, 'limit>100': 4 },
      last_call_at: '2026-08-22T12:00:00.001Z',
    });
  });

  const mixed = [
    count({ lastAt: noon - 3 }),
    count({ keyId: 'key2', form: 'current', route: '/api/v1/added', lastAt: noon - 2 }),
    count({ keyId: 'key2', form: 'variant', lastAt: noon - 4 }),
    count({ route: '/api/v1/spikes', lastAt: noon - 1 }),
    count({ keyId: 'removed', organizationId: 'former', route: undefined, status: 404, lastAt: noon - 5 }),
  ];
  const rowsOf = (...asked: Parameters<typeof toUsageRows>) =>
    toUsageRows(...asked).map(({ key_id, form, route }) => [key_id, form, route].join(' ').trim());

  it('list the key with the latest call first, and active keys without requests last', () => {
    expect(rowsOf(mixed, known)).to.deep.equal([
      'key1 variant /api/v1/spikes',
      'key1 variant /api/v1/artists',
      'key2 current /api/v1/added',
      'key2 variant /api/v1/artists',
      'removed variant',
      'silent',
    ]);
  });

  it('with --form list requests answered in that form, and keys pinned to it without requests', () => {
    expect(rowsOf(mixed, known, 'variant')).to.deep.equal([
      'key1 variant /api/v1/spikes',
      'key1 variant /api/v1/artists',
      'key2 variant /api/v1/artists',
      'removed variant',
      'silent',
    ]);
    expect(rowsOf(mixed, known, 'current')).to.deep.equal(['key2 current /api/v1/added']);
  });

  it('show the state of a revoked key that still calls', () => {
    const [row] = toUsageRows([count({ keyId: 'gone', status: 401 })], known);
    expect(row).to.include({ key_id: 'gone', state: 'revoked', client_errors: 1 });
  });
});

describe('usage', function () {
  this.timeout(30_000);
  const operator = useOperatorEnvironment();
  const now = systemClock().now();
  const today = dayOf(now);
  const at = new Date(now).toISOString();

  before(async () => {
    for (const id of ['acme', 'other']) await operator.done('organizations set', id, '--name', id);
    const keys = [
      keyRecord('key1', { partner: 'Acme, "Radio"' }),
      keyRecord('key2', { form: 'current', organizationId: 'other' }),
    ];
    const documents = keys.map((key) => ({ _id: key.id, hash: key.hash, ...keyMembers(key) }));
    await operator.collection('api_keys').insertMany(documents);
    const total = (id: string, given: Partial<DayTotal>): DayTotal => ({
      ...count({ day: today, lastAt: now }),
      id,
      ...given,
    });
    const days = [
      total('one:1', { requests: 2, uses: { 'fields=basic': 2, 'limit>100': 1 } }),
      total('two:1', { requests: 3, uses: { 'fields=basic': 1 } }),
      total('two:2', { requests: 4, status: 429 }),
      total('two:3', { day: addDays(today, -29), route: '/api/v1/spikes', lastAt: now - 29 * 86_400_000 }),
      total('two:4', { day: addDays(today, -30), route: '/api/v1/signings' }),
    ];
    await createMongoUsage(operator.db).write({ days, hours: [] });
  });

  it('lists the last 30 days, summed over gateways', async () => {
    const lines = (await operator.done('usage')).split('\n');
    const artists = `acme\tkey1\tAcme, "Radio"\tactive\tvariant\t/api/v1/artists\t9\t4\t0\t0`;
    expect(lines[1]).to.equal(`${artists}\tfields=basic 3, limit>100 1\t${at}`);
    expect(lines[2]).to.include('/api/v1/spikes\t1\t');
    expect(lines[3]).to.equal('other\tkey2\tPartner of key2\tactive\tcurrent\t\t0\t0\t0\t0\t\tnever');
    expect(lines).to.have.length(5);
  });

  it('selects by --days, --form and --organization', async () => {
    const listed = async (...args: string[]) =>
      (await operator.done('usage', ...args))
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => [1, 5].map((column) => line.split('\t')[column]).join(' '));
    expect(await listed('--days', '1')).to.deep.equal(['key1 /api/v1/artists', 'key2 ']);
    expect(await listed('--days', '31', '--form', 'variant')).to.have.members([
      'key1 /api/v1/artists',
      'key1 /api/v1/spikes',
      'key1 /api/v1/signings',
    ]);
    expect(await listed('--organization', 'other')).to.deep.equal(['key2 ']);
    expectRefusal(await operator.run('usage --organization nobody'), /^There is no organization nobody/);
  });

  it('prints JSON and CSV', async () => {
    const rows = await operator.json('usage --days 1 --form variant');
    expect(rows).to.have.length(1).and.to.have.nested.property('[0].uses').that.deep.equals({
      'fields=basic': 3,
      'limit>100': 1,
    });
    const csv = (await operator.done('usage --days 1 --csv')).split('\r\n');
    expect(csv[0]).to.match(/^organization,key,partner,state,form,route,requests,refused,client errors,/);
    expect(csv[1]).to.equal(
      `acme,key1,"Acme, ""Radio""",active,variant,/api/v1/artists,9,4,0,0,"fields=basic 3, limit>100 1",${at}`,
    );
  });
});
