import { expect } from 'chai';
import { addDays } from '../../src/domain/day.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import type { UsageRow } from '../../tools/cli/usage/rows.ts';
import type { MoveAssessment } from '../../tools/migration/assess.ts';
import { type StatusReport, type StatusRow, statusSteps } from '../../tools/migration/status.ts';
import { buildKey } from '../support/builders.ts';
import { useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import {
  assessPlanted,
  partnerKinds,
  plantKeys,
  storePlanted,
} from '../support/cli/planted-keys.ts';
import { buildUsageCount } from '../support/usage.ts';

const sum = (numbers: readonly number[] = []): number =>
  numbers.reduce((total, number) => total + number, 0);

describe('migration status, over twenty partners of four kinds', () => {
  const operator = useOperatorEnvironment();
  const planted = plantKeys(20, systemClock().now());
  let listed: readonly StatusRow[] = [];

  before(async () => {
    await storePlanted(operator, planted);
    listed = (await operator.json<StatusReport>('migration status')).keys;
  });

  it('lists every key that is pinned and active, once, with the next step of its kind', () => {
    expect(listed.map(({ key }) => key)).to.have.members([...planted.kinds.keys()]);
    const steps = ['move it', 'send the guide', 'make room in quota', 'ask if it is used'];
    for (const { key, next } of listed)
      expect(next, key).to.equal(steps[partnerKinds.indexOf(planted.kinds.get(key) ?? 'polls')]);
  });

  it('lists urgent keys first, by days left, and then the steps in their order, most calls first', () => {
    const urgent = listed.filter((row) => row.urgent);
    const isDue = ({ days_left = Infinity, last_at }: StatusRow) =>
      days_left <= 30 && last_at !== undefined;
    expect(urgent).to.deep.equal(listed.filter(isDue)).and.have.lengthOf(2);
    expect(listed.slice(0, urgent.length)).to.deep.equal(urgent);
    const left = urgent.map(({ days_left = Number.NaN }) => days_left);
    expect(left).to.deep.equal(left.toSorted((one, other) => one - other));
    expect(left.at(-1)).to.equal(30);
    const places = listed
      .slice(urgent.length)
      .map(({ next, calls_a_day }) => 10_000 * statusSteps.indexOf(next) - calls_a_day);
    expect(places).to.deep.equal(places.toSorted((one, other) => one - other));
  });

  it('has the counts of `usage` for every key', async () => {
    const usage = await operator.json<readonly UsageRow[]>('usage');
    const requestsIn = (rows: readonly UsageRow[], form: string): number =>
      sum(rows.filter((row) => row.form === form).map(({ requests }) => requests));
    for (const { key, requests, tried, last_at } of listed) {
      const own = usage.filter(({ key_id }) => key_id === key);
      expect(requests, key).to.equal(requestsIn(own, 'variant'));
      expect(tried.requests, key).to.equal(requestsIn(own, 'current'));
      const calledAt = own.flatMap(({ last_call_at = [] }) => last_call_at).sort();
      expect(calledAt.at(-1), key).to.equal(last_at);
    }
  });

  it('has the numbers and the verdict of `migration report KEY` for a key of each kind', async () => {
    for (const kind of partnerKinds) {
      const row = listed.find(({ key }) => planted.kinds.get(key) === kind);
      const { organization_id, verdict, line, quota, keys } = await operator.json<MoveAssessment>(
        'migration report',
        row?.key ?? 'none',
      );
      const [{ requests, changes, tried } = {}] = keys;
      const { would_refuse } = quota;
      const numbers = { organization_id, verdict, line, requests, changes, tried, would_refuse };
      expect(row, kind).to.deep.include(numbers);
    }
  });

  it('prints the same rows as comma-separated values', async () => {
    const lines = (await operator.done('migration status --csv')).trim().split('\r\n');
    expect(lines[0]).to.equal(
      'key,organization,partner,state,next,verdict,calls a day,to change,over quota,last call,sunset,trial',
    );
    expect(lines.slice(1).map((line) => line.split(',')[0])).to.deep.equal(
      listed.map(({ key }) => key),
    );
  });

  it('counts the keys in a trial, and names the end of the first', async () => {
    const [first = '', second = ''] = listed.map(({ key }) => key);
    for (const [key, length] of [
      [first, '30m'],
      [second, '2h'],
    ] as const)
      await operator.done(`keys pin ${key} --form current --for ${length} --reason test`);
    const { keys } = await operator.json<StatusReport>('migration status');
    const until = keys.find(({ key }) => key === first)?.trial?.until;
    const { stdout, stderr } = await operator.run('migration status --wide');
    expect(stderr).to.include(` 2 in trials, the first until ${until}.`);
    expect(stdout).to.include(`current until ${until}`);
    for (const key of [first, second]) await operator.done(`keys pin ${key} --back --reason test`);
  });

  it('has no guide for a key that has the current form or has ended, and names its successor', async () => {
    const moved = planted.keys.find(({ form }) => form === 'current')?.id ?? '';
    expect(await operator.run('migration guide', moved)).to.deep.equal({
      code: 1,
      stdout: '',
      stderr: `Key ${moved} has the current form already: there is no guide to write.\n`,
    });
    const revoked = planted.keys.find(({ revokedAt }) => revokedAt !== undefined)?.id ?? '';
    const keys = operator.collection('api_keys');
    await keys.updateOne({ _id: revoked }, { $set: { replaced_by: 'fleet001' } });
    const { code, stderr } = await operator.run('migration guide', revoked);
    expect(code).to.equal(1);
    expect(stderr).to.match(/has been revoked .*: there is no guide to write\. Key fleet001 repl/);
  });
});

describe('the quota of an organization in the list', () => {
  const now = Date.parse('2026-08-22T12:00:00Z');

  for (const [what, previous] of [
    ['revoked', { revokedAt: now - 3_600_000 }],
    ['moved to the current form', { form: 'current' }],
  ] as const)
    it(`counts every page of a call after the move, even of a key that is ${what}`, () => {
      const organizationId = 'org0';
      const calls = [
        { id: 'k1', requests: 8, uses: { '?limit=200': 8 } },
        { id: 'k2', requests: 1, uses: { '?limit=20': 1 } },
      ];
      const counts = calls.map((call) =>
        buildUsageCount({ ...call, day: '2026-08-20', keyId: call.id, organizationId }),
      );
      const usage = {
        days: counts.map((count) => ({ ...count, id: count.keyId })),
        hours: calls.map(({ id, requests }) => ({
          ...{ id, keyId: id, organizationId, requests },
          hour: Date.parse('2026-08-20T09:00:00Z'),
          minutes: new Map([[7, { requests, refused: 0 }]]),
        })),
      };
      const keys = [
        buildKey({ id: 'k1', organizationId, form: 'variant', ...previous }).record,
        buildKey({ id: 'k2', organizationId, form: 'variant' }).record,
      ];
      const report = assessPlanted({ ...plantKeys(1, now), keys, usage }, now);
      expect(report.keys).to.have.length(1);
      expect(report.keys[0]).to.include({ key: 'k2', requests: 1, would_refuse: 7 });
      expect(report.keys[0]?.line).to.match(/^would exceed quota: 7 of 17 requests/);
    });
});

describe('the calls a day in the list', () => {
  const now = Date.parse('2026-08-22T12:00:00Z');

  it('divides the calls of a key by the days since its first', () => {
    const planted = plantKeys(2, now);
    for (const days of [1, 3, 30]) {
      const counted = planted.usage.days.filter(({ day }) => day > addDays('2026-08-22', -days));
      const report = assessPlanted({ ...planted, usage: { ...planted.usage, days: counted } }, now);
      const row = report.keys.find(({ key }) => planted.kinds.get(key) === 'polls');
      const own = counted.filter(({ keyId }) => keyId === row?.key);
      const average = Math.round((sum(own.map(({ requests }) => requests)) / days) * 10) / 10;
      expect(row?.calls_a_day, `${days} days`).to.equal(average).and.be.above(20);
    }
  });
});
