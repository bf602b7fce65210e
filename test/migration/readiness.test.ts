import { expect } from 'chai';
import { printReadiness } from '../../adapters/cli/readiness/print.ts';
import { forms } from '../../adapters/forms/forms.ts';
import { requestedMove } from '../../src/migration/evidence.ts';
import { assessReadiness, type ReadinessFacts, readinessPeriod } from '../../src/migration/readiness.ts';
import { createAllowances } from '../../src/quota/allowances.ts';
import { buildKey, buildOrganization } from '../support/builders.ts';
import { buildMinuteCount, buildUsageCount } from '../support/usage.ts';

const now = Date.parse('2026-08-22T12:30:00Z');

const facts = (given: Partial<ReadinessFacts> = {}): ReadinessFacts => ({
  organization: buildOrganization({ perMinute: 5, perDay: 900 }),
  keys: [buildKey({ form: 'variant', scopes: ['artists:read', 'spikes:read', 'signings:read'] }).record],
  move: requestedMove,
  days: 30,
  now,
  counts: [buildUsageCount({ uses: { new: 1 } })],
  minutes: [buildMinuteCount({ requests: 4 })],
  artists: 10,
  forms: forms,
  allowances: createAllowances(forms),
  ...given,
});

/** What `readiness` prints in a pipe. */
const printed = (given: Partial<ReadinessFacts>): string => {
  const lines: string[] = [];
  printReadiness(assessReadiness(facts(given)), {}, { write: (text) => lines.push(text) });
  return lines.join('');
};

describe('the readiness of an organization', () => {
  it('needs counts of the given days including today, and minutes of today and the 7 full days before', () => {
    expect(readinessPeriod({ days: 30, now })).to.deep.equal({
      since: '2026-07-24',
      replayedSince: Date.parse('2026-08-15T00:00:00Z'),
    });
  });

  it('reports each key with the quotas it would have after the move', () => {
    const readiness = assessReadiness(facts());
    expect(readiness).to.include({ organization_id: 'org_test', form: 'current', since: '2026-07-24', artists: 10 });
    expect(readiness.keys.map(({ key, requests }) => `${key} ${requests}`)).to.deep.equal(['keyvariant 3']);
    expect(readiness.quota.quotas.map(({ window, limit, subject }) => `${limit} a ${window} ${subject}`)).to.deep.equal(
      ['5 a minute organization:org_test', '900 a day organization:org_test'],
    );
    expect(readiness.verdict).to.equal('ready after renames');
  });

  it('would exceed a quota below the number of requests', () => {
    const { verdict, quota } = assessReadiness(facts({ minutes: [buildMinuteCount({ requests: 7 })] }));
    expect(verdict).to.equal('would exceed quota');
    expect(quota).to.include({ asked: 7, would_refuse: 2 });
  });

  it('assigns usage to its key', () => {
    const [first] = facts().keys;
    const keys = first === undefined ? [] : [first, { ...first, id: 'other' }];
    const reports = assessReadiness(facts({ keys })).keys;
    expect(reports.map(({ key, requests }) => `${key} ${requests}`)).to.deep.equal(['keyvariant 3', 'other 0']);
  });

  it('sums the answers of each key that were compared in production, since the first day of them', () => {
    const counts = [
      buildUsageCount({ day: '2026-08-20' }),
      buildUsageCount({ day: '2026-08-22', compared: { answers: 5, differed: 0 } }),
      buildUsageCount({ day: '2026-08-21', form: 'current', compared: { answers: 4, differed: 1 } }),
    ];
    const [report] = assessReadiness(facts({ counts })).keys;
    expect(report?.compared).to.deep.equal({ answers: 9, differed: 1, since: '2026-08-21' });
    expect(printed({ counts })).to.match(/^compared in production\t9 answers, 1 differed, since 2026-08-21$/m);
  });

  it('is ready when the organization has no key of the old form', () => {
    expect(assessReadiness(facts({ keys: [], counts: [] }))).to.deep.include({
      keys: [],
      line: 'ready: it has no key of the variant form',
    });
  });

  it('is printed with a line for each change, the next steps, and the verdict in the last line', () => {
    const counts = [
      buildUsageCount({ uses: { new: 1, id: 2, 'limit>100': 1 } }),
      buildUsageCount({ status: 404, requests: 1 }),
    ];
    const lines = printed({ counts }).trim().split('\n');
    for (const line of [
      /^seen in 30 days\t4 requests since 2026-08-22, the last at /,
      /^\/artists\?new=\t\/added\?days=\t1\t/,
      /^\/artists\?id=\t\/artists\?id= \(other values\)\t2\t/,
      /^\/artists\?limit= above 100\t\/artists\?limit=100\t1\t/,
      /^\/artists\?id= of nobody\t\/artists 404\t1\t/,
      /^photo\tan artist\tphoto_url\trename\t/,
      /^404\t1\t.*\t404 not_found$/,
      /^Let it try first, .*artist-gateway keys set keyvariant --allow-envelope-override/,
    ])
      expect(lines.filter((one) => line.test(one)).length, String(line)).to.equal(1);
    expect(lines.at(-1)).to.match(/^ready after renames: \d+ things to change$/);
  });
});
