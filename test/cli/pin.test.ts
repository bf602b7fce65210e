import { expect } from 'chai';
import { createMongoUsage } from '../../adapters/stores/mongodb/usage.ts';
import { dayOf } from '../../src/domain/day.ts';
import type { UsageCount } from '../../src/domain/usage.ts';
import type { LogRow } from '../../tools/cli/keys/log.ts';
import type { MigrationReadiness } from '../../tools/migration/readiness.ts';
import { useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import { buildUsageCount } from '../support/usage.ts';

describe('keys pin', () => {
  const operator = useOperatorEnvironment();
  const pin = (id: string, form: string, ...more: string[]) =>
    operator.run(`keys pin ${id} --form ${form} --reason`, 'ticket 77', ...more);
  const stored = (id: string) => operator.collection('api_keys').findOne({ _id: id });
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
      /answer in it within 5 seconds\.\nNew limits: 5000 a minute, 70000 a UTC day, counted for/,
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

  it('reports with --dry-run what either move means for the partner, from its usage, and changes nothing', async () => {
    const [there, back] = [await operator.issue('variant'), await operator.issue('current')];
    const now = Date.now();
    const called = (keyId: string, route: string, given: Partial<UsageCount> = {}) => ({
      ...buildUsageCount({
        keyId,
        organizationId: 'acme',
        route,
        day: dayOf(now),
        lastAt: now,
        ...given,
      }),
      id: `${keyId} ${route}`,
    });
    const days = [
      called(there.id, '/api/v1/artists', { uses: { new: 3 } }),
      called(back.id, '/api/v1/added', { form: 'current', uses: { days: 2 } }),
    ];
    await createMongoUsage(operator.db).write({ days, hours: [] });
    for (const [id, form, ...expected] of [
      [
        there.id,
        'current',
        /^\/artists\?new=\t\/added\?days=\t3\t/m,
        /^quota after the move\t5000 a minute, 70000 /m,
      ],
      [back.id, 'variant', /^\/added\?days=\t\/artists\?new=\t2\t/m, /^\/added\t–\t3\t/m],
      [
        back.id,
        'variant',
        new RegExp(`^quota after the move\t100 an hour, counted for key:${back.id}$`, 'm'),
      ],
    ] as const) {
      const dry = await operator.run(`keys pin ${id} --form ${form} --dry-run`);
      expect(dry.stderr).to.match(/^Nothing was changed/);
      for (const line of expected) expect(dry.stdout).to.match(line);
      expect(await logOf(id)).to.have.length(1);
    }
    const all = await operator.json<MigrationReadiness>('readiness acme --days 3');
    expect(all.keys.map(({ key }) => key))
      .to.include(there.id)
      .and.not.include(back.id);
    expect(all.line).to.match(
      /^ready after renames: .*; .* asked nothing in 3 days, so there is nothing to assess$/,
    );
  });
});
