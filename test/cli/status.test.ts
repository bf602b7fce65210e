import { expect } from 'chai';
import { createMongoUsage } from '../../adapters/stores/mongodb/usage.ts';
import { addDays, dayOf } from '../../src/domain/day.ts';
import { dayMs, hourMs } from '../../src/domain/time.ts';
import type { DayTotal, HourTotal } from '../../src/domain/usage.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import type { UsageRow } from '../../tools/cli/usage/rows.ts';
import type { MoveAssessment } from '../../tools/migration/assess.ts';
import { type StatusReport, type StatusRow, statusSteps } from '../../tools/migration/status.ts';
import { keyDocument, useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import { dayTotal } from '../support/usage.ts';

/** The next step of a key by its usage, which the keys have in turn. */
const steps = {
  moved: 'move it',
  polls: 'send the guide',
  bursts: 'raise the quota',
  silent: 'ask if it is used',
};
type Usage = keyof typeof steps;
const usages = ['moved', 'polls', 'bursts', 'silent'] as const;

const dayTotals = (keyId: string, usage: Usage, day: string, age: number): DayTotal[] => {
  const total = (given: Partial<DayTotal>) => {
    const id = `${keyId}:${day}:${given.form}${given.route}${given.status}`;
    const owner = { keyId, organizationId: keyId };
    return dayTotal({ id, ...owner, day, lastAt: Date.parse(day), uses: {}, ...given });
  };
  if (usage === 'silent') return [];
  const tried = total({ form: 'current', requests: 9 });
  if (usage === 'moved') return [tried];
  return [
    total({ requests: 24 + Number(keyId.at(-1)), uses: { new: 20, 'fields=basic': 4 } }),
    total({ status: 429, requests: 1 + (age % 3) }),
    ...(usage === 'bursts' ? [total({ route: '/api/v1/signings', requests: 80 })] : []),
    ...(age > 10 ? [] : [tried]),
  ];
};

const hourTotal = (keyId: string, usage: Usage, now: number): HourTotal[] => {
  if (usage === 'silent') return [];
  const requests = usage === 'bursts' ? 140 : 4;
  return [
    {
      ...{ id: keyId, keyId, organizationId: keyId, hour: now - (now % hourMs) - dayMs, requests },
      minutes: new Map([[17, { requests, refused: requests - 4 }]]),
    },
  ];
};

/** Twelve pinned keys with a month of usage, each with its organization. */
const plant = (now: number) => {
  const ages = Array.from({ length: 30 }, (_, age) => age);
  const usageOf = new Map(
    Array.from({ length: 12 }, (_, index) => [`key${index}`, usages[index % 4] ?? 'polls']),
  );
  const keys = [...usageOf.keys()].map((id, index) => ({
    ...{ id, organizationId: id, partner: id, form: 'variant' },
    ...(index % 3 === 1 && { sunset: addDays(dayOf(now), 5 * index) }),
  }));
  const days = [...usageOf].flatMap(([id, usage]) =>
    ages.flatMap((age) => dayTotals(id, usage, addDays(dayOf(now), -age), age)),
  );
  const hours = [...usageOf].flatMap(([id, usage]) => hourTotal(id, usage, now));
  return { usageOf, keys, days, hours };
};

const sum = (numbers: readonly number[] = []): number =>
  numbers.reduce((total, number) => total + number, 0);

describe('migration status', () => {
  const operator = useOperatorEnvironment();
  const now = systemClock().now();
  const planted = plant(now);
  let listed: readonly StatusRow[] = [];
  const others = [
    keyDocument({ id: 'revoked', organizationId: 'key1', form: 'variant', revokedAt: now - dayMs }),
    keyDocument({ id: 'expired', organizationId: 'key1', form: 'variant', expiresAt: now - dayMs }),
    keyDocument({ id: 'moved', organizationId: 'key1' }),
  ];

  before(async () => {
    const organizations = planted.keys.map(({ id }) => ({ _id: id, name: `Owner of ${id}` }));
    await operator.collection('organizations').insertMany(organizations);
    await operator.collection('api_keys').insertMany([...planted.keys.map(keyDocument), ...others]);
    await createMongoUsage(operator.db).write(planted);
    listed = (await operator.json<StatusReport>('migration status')).keys;
  });

  it('lists every pinned and active key once, with the next step for its usage', () => {
    const found = listed.map(({ key, next }) => [key, next]);
    const expected = [...planted.usageOf].map(([key, usage]) => [key, steps[usage]]);
    expect(found).to.have.deep.members(expected);
  });

  it('lists urgent keys first, then sorts by step and by calls a day', () => {
    const urgent = listed.filter((row) => row.urgent);
    const isDue = ({ days_left = Infinity, last_at }: StatusRow) =>
      days_left <= 30 && last_at !== undefined;
    expect(urgent).to.deep.equal(listed.filter(isDue));
    expect(listed.slice(0, 2)).to.deep.equal(urgent);
    expect(urgent.map(({ key }) => key)).to.deep.equal(['key1', 'key4']);
    const places = listed
      .slice(2)
      .map(({ next, calls_a_day }) => 10_000 * statusSteps.indexOf(next) - calls_a_day);
    expect(places).to.deep.equal(places.toSorted((one, other) => one - other));
  });

  it('has the counts of `usage`, and the numbers of `migration report`', async () => {
    const usage = await operator.json<readonly UsageRow[]>('usage');
    const requestsIn = (rows: readonly UsageRow[], form: string): number =>
      sum(rows.filter((row) => row.form === form).map(({ requests }) => requests));
    for (const row of listed) {
      const own = usage.filter(({ key_id }) => key_id === row.key);
      expect(row.requests, row.key).to.equal(requestsIn(own, 'variant'));
      expect(row.tried.requests, row.key).to.equal(requestsIn(own, 'current'));
      const calledAt = own.flatMap(({ last_call_at = [] }) => last_call_at).sort();
      expect(calledAt.at(-1), row.key).to.equal(row.last_at);
    }
    for (const row of listed.filter(({ key }) => key.length === 4)) {
      const { organization_id, verdict, line, quota, keys } = await operator.json<MoveAssessment>(
        'migration report',
        `key:${row.key}`,
      );
      const [{ requests, changes, tried } = {}] = keys;
      const { would_refuse } = quota;
      const numbers = { organization_id, verdict, line, requests, changes, tried, would_refuse };
      expect(row).to.deep.include(numbers);
    }
  });

  it('prints the same rows as CSV', async () => {
    const lines = (await operator.done('migration status --csv')).trim().split('\r\n');
    expect(lines[0]).to.equal(
      'key,organization,partner,state,next,verdict,calls a day,to change,over quota,last call,sunset,trial',
    );
    expect(lines.slice(1).map((line) => line.split(',')[0])).to.deep.equal(
      listed.map(({ key }) => key),
    );
  });

  it('counts the keys in a trial, and names the first end', async () => {
    for (const [key, length] of [
      ['key1', '30m'],
      ['key2', '2h'],
    ] as const)
      await operator.done(`keys pin ${key} --form current --for ${length} --reason test`);
    const { keys } = await operator.json<StatusReport>('migration status');
    const until = keys.find(({ key }) => key === 'key1')?.trial?.until;
    const { stdout, stderr } = await operator.run('migration status --wide');
    expect(stderr).to.include(` 2 in trials, the first until ${until}.`);
    expect(stdout).to.include(`current until ${until}`);
  });

  it('has no guide for a moved or revoked key, and names its successor', async () => {
    const { code, stderr } = await operator.run('migration guide moved');
    expect([code, stderr]).to.deep.equal([
      1,
      'Key moved has the current form already: there is no guide to write.\n',
    ]);
    const replaced = { $set: { replaced_by: 'key1' } };
    await operator.collection('api_keys').updateOne({ _id: 'revoked' }, replaced);
    expect((await operator.run('migration guide revoked')).stderr).to.match(
      /has been revoked .*: there is no guide to write\. Key key1 repl/,
    );
  });
});
