import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import type { KeyRecord } from '../../src/domain/caller.ts';
import type { UsageCount } from '../../src/domain/usage.ts';
import { printReport } from '../../tools/cli/migration/print-report.ts';
import { allowances } from '../../tools/cli/policy.ts';
import { assessMove, type MoveFacts, reportedPeriod } from '../../tools/migration/assess.ts';
import { buildKey, buildOrganization } from '../support/builders.ts';
import { buildMinuteCount, buildUsageCount } from '../support/usage.ts';

/** Reports as a person reviews them. `RECORD_MIGRATION=1` writes them again. */
const recordings = new URL('../../fixtures/migration/', import.meta.url);
const records = process.env['RECORD_MIGRATION'] === '1';

const now = Date.parse('2026-08-22T12:30:00Z');
const noon = Date.parse('2026-08-22T12:00:00Z');

const pinned = buildKey({
  form: 'variant',
  scopes: ['artists:read', 'spikes:read', 'signings:read'],
}).record;
const editor: KeyRecord = { ...pinned, scopes: [...pinned.scopes, 'editorial:read'] };

/** Usage of one key: by route and uses, or more. */
const used = (
  path: string,
  uses: UsageCount['uses'] = {},
  more: Partial<UsageCount> = {},
): UsageCount => buildUsageCount({ route: `/api/v1${path}`, uses, ...more });
const inCurrent = (path: string, more: Partial<UsageCount> = {}): UsageCount =>
  used(path, {}, { form: 'current', ...more });

/** Partners of which all that is printed is recorded. */
const recorded: Readonly<Record<string, Partial<MoveFacts>>> = {
  'everything-to-change': {
    counts: [
      used('/artists', { '?new=14': 2 }, { day: '2026-08-20' }),
      used('/artists', { '?id=*': 1, '?limit=200': 2, '?tier=watch': 6 }, { requests: 9 }),
      used('/artists', { '?signed=true': 2, '?fields=basic': 1 }, { day: '2026-08-21' }),
      used('/artists', { '?limit=500&*': 3 }),
      used('/spikes', { '?days=45': 3 }),
      used('/artists', { '?id=*': 4 }, { status: 404, requests: 4 }),
      ...[429, 500].map((status) => used('/artists', {}, { status, requests: 4 })),
      buildUsageCount({ route: undefined, status: 404, requests: 2 }),
      inCurrent('/artists', { day: '2026-07-30' }),
      inCurrent('/artists', { status: 400, requests: 1, day: '2026-07-29' }),
      inCurrent('/artists', { status: 503, requests: 1, lastAt: now }),
    ],
    artists: 51,
    minutes: [0, 1, 2, 3, 4, 5, -1440].map((minute) =>
      buildMinuteCount({
        minute: noon + minute * 60_000,
        requests: 9 + (minute % 5),
        refused: minute === 1 ? 4 : 0,
      }),
    ),
  },
  'asked-nothing': { counts: [] },
};

/** Others: what is printed of them in a tab-separated line, and what is not. */
const partners: readonly (readonly [string, Partial<MoveFacts>, readonly RegExp[], RegExp?])[] = [
  [
    'sends only fields=basic',
    { keys: [editor], counts: [used('/artists', { 'fields=basic': 3 })] },
    [/^photo\t/m],
    /songs\[\]|scouting_report/,
  ],
  [
    'sends fields=basic at times, with the scope for editorial',
    { keys: [editor], counts: [used('/artists', { 'fields=basic': 3 }), used('/artists')] },
    [/^songs\[\]/m, /^scouting_report\tan artist\teditorial\.scouting_report\t/m],
  ],
  [
    'received only 304',
    { counts: [used('/artists', {}, { status: 304 })] },
    [/^photo\t/m],
    /a spike|a signing/,
  ],
  [
    'was first seen two days ago',
    { counts: [used('/spikes', {}, { day: '2026-08-20' }), inCurrent('/spikes', { requests: 4 })] },
    [/^calls a day\t2\.3$/m], // 7 in three days, in any form
  ],
  [
    'reads spikes, and was refused lists',
    { counts: [used('/spikes'), used('/artists', {}, { status: 400 })] },
    [/^period_days\tthe envelope\tmeta\.window\.days\t/m, /^tiktok\ta spike\t/m],
    /an artist|labels_tracked/,
  ],
  [
    'has only tried the other form',
    { counts: [inCurrent('/artists'), inCurrent('/artists', { status: 403 })] },
    [/^ready: all requests in 30 days were made in the current form, 3 of them refused$/m],
  ],
  [
    'sent nothing with one of two keys',
    {
      keys: [pinned, { ...pinned, id: 'other' }],
    },
    [
      /^ready after renames: \d+ things to change in 1 of 2 keys; other sent nothing in 30 days, so there is nothing to /m,
      /^key\tother\n(.*\n){3}seen in 30 days\tnothing$/m,
    ],
  ],
  [
    'sent nothing in time and too much before',
    { counts: [], minutes: [buildMinuteCount({ requests: 7 })] },
    [/^would exceed quota: 2 of 7 requests; it sent nothing in 30 days/m],
  ],
  [
    'has the other form already',
    { keys: [{ ...pinned, form: 'current' }] },
    [/^ready: it has the current form already$/m],
  ],
  [
    'is revoked, with settings of its own',
    { keys: [{ ...pinned, perHour: 500, sunset: '2027-01-01', revokedAt: now - 1 }] },
    [
      /^state\trevoked$/m,
      /has been revoked since .*\n.*500 requests an hour does not apply.*\n.*2027-01-01 is kept/,
    ],
  ],
  [
    'has expired',
    { keys: [{ ...pinned, expiresAt: now }] },
    [/^state\texpired$/m, /has been expired since /],
  ],
];

const assess = (given: Partial<MoveFacts>) =>
  assessMove({
    organization: buildOrganization({ perMinute: 5, perDay: 900 }),
    keys: [pinned],
    days: 30,
    now,
    counts: [buildUsageCount({ uses: { '?new=1': 1 } })],
    minutes: [buildMinuteCount({ requests: 4 }), buildMinuteCount({ organizationId: 'else' })],
    artists: 10,
    forms,
    allowances,
    ...given,
  });

/** What `migration report` prints in a pipe. */
const printed = (given: Partial<MoveFacts>): string => {
  const lines: string[] = [];
  printReport(assess(given), {}, { write: (text) => lines.push(text) });
  return lines.join('');
};

describe('the report on a move', () => {
  it('uses counts of the given days, and minutes of today and 7 days before', () => {
    const replayedSince = Date.parse('2026-08-15T00:00:00Z');
    expect(reportedPeriod({ days: 3, now })).to.deep.equal({
      ...{ since: '2026-08-20', countsSince: '2026-08-15', replayedSince },
    });
    expect(reportedPeriod({ days: 30, now })).to.deep.equal({
      ...{ since: '2026-07-24', countsSince: '2026-07-24', replayedSince },
    });
  });

  it('is `ready` without a key of the form to leave', () => {
    const nothing = { keys: [], counts: [], minutes: [buildMinuteCount({ requests: 7 })] };
    expect(assess(nothing).line).to.equal('ready: it has no key of the variant form');
    expect(printed(nothing)).to.equal('org_test has no key of the variant form.\n');
  });

  it('is `unknown` for a key without requests, even if other keys exceed the quota', () => {
    const others = { counts: [], minutes: [buildMinuteCount({ keyId: 'other', requests: 70 })] };
    const { verdict, line, quota } = assess(others);
    expect(quota.would_refuse).to.be.above(0);
    expect({ verdict, line }).to.deep.equal({
      verdict: 'unknown',
      line: 'unknown: it sent nothing in 30 days, so there is nothing to assess',
    });
    const both = [pinned, { ...pinned, id: 'other' }];
    const counts = [buildUsageCount({ keyId: 'other' })];
    expect(assess({ ...others, counts, keys: both }).verdict).to.equal('would exceed quota');
  });

  for (const [name, given] of Object.entries(recorded))
    it(`is printed as recorded: ${name.replaceAll('-', ' ')}`, () => {
      const file = new URL(`${name}.txt`, recordings);
      if (records) writeFileSync(file, printed(given));
      expect(printed(given)).to.equal(readFileSync(file, 'utf8'));
    });

  for (const [what, given, shown, hidden] of partners)
    it(`has the changes of a partner that ${what}`, () => {
      const text = printed(given);
      for (const line of shown) expect(text).to.match(line);
      if (hidden !== undefined) expect(text).to.not.match(hidden);
    });
});
