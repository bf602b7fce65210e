import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import type { KeyRecord } from '../../src/domain/caller.ts';
import type { UsageCount } from '../../src/domain/usage.ts';
import { printReadiness } from '../../tools/cli/readiness/print.ts';
import { createAllowances } from '../../tools/migration/allowances.ts';
import { requestedMove } from '../../tools/migration/evidence.ts';
import {
  assessReadiness,
  type ReadinessFacts,
  readinessPeriod,
} from '../../tools/migration/readiness.ts';
import { buildKey, buildOrganization } from '../support/builders.ts';
import { buildMinuteCount, buildUsageCount } from '../support/usage.ts';

/**
 * What is printed of some partners is compared with these files. `RECORD_READINESS=1` writes them
 * again.
 */
const recordings = new URL('../../fixtures/readiness/', import.meta.url);
const records = process.env['RECORD_READINESS'] === '1';

const now = Date.parse('2026-08-22T12:30:00Z');
const noon = Date.parse('2026-08-22T12:00:00Z');
const back = { from: 'current', to: 'variant' } as const;

const pinned = buildKey({
  form: 'variant',
  scopes: ['artists:read', 'spikes:read', 'signings:read'],
}).record;
const editor: KeyRecord = { ...pinned, scopes: [...pinned.scopes, 'editorial:read'] };
const moved = buildKey({ form: 'current' }).record;

/** Usage of one key: by route and uses, or more. */
const used = (
  path: string,
  uses: UsageCount['uses'] = {},
  more: Partial<UsageCount> = {},
): UsageCount => buildUsageCount({ route: `/api/v1${path}`, uses, ...more });
const inCurrent = (path: string, more: Partial<UsageCount> = {}): UsageCount =>
  used(path, {}, { form: 'current', ...more });

/** Partners of which all that is printed is recorded. */
const recorded: Readonly<Record<string, Partial<ReadinessFacts>>> = {
  'everything-to-change': {
    counts: [
      used('/artists', { new: 2 }, { day: '2026-08-20' }),
      used('/artists', { id: 1, limit: 1, 'limit>100': 2, 'tier=watch': 3 }, { requests: 9 }),
      used('/artists', { signed: 1, 'signed=true': 1, 'fields=basic': 1 }, { day: '2026-08-21' }),
      used('/artists', {
        'limit adjusted': 2,
        'days adjusted': 1,
        unknown: 3,
        tier: 1,
        'tier none': 1,
        'query none': 2,
      }),
      used('/artists', {}, { day: '2026-08-01' }),
      used('/spikes', { days: 3, new: 3 }), // other paths need changes to the same names
      ...[404, 429, 500].map((status) => used('/artists', {}, { status, requests: 4 })),
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
  'back-over-the-quota-of-its-key': {
    keys: [{ ...moved, perHour: 9 }],
    move: back,
    counts: [
      inCurrent('/added', { keyId: moved.id, uses: { days: 3 } }),
      inCurrent('/artists', { keyId: moved.id, uses: { unknown: 1 } }),
    ],
    minutes: [
      buildMinuteCount({ keyId: moved.id, requests: 12 }),
      buildMinuteCount({ keyId: 'other', requests: 3 }),
      buildMinuteCount({ organizationId: 'else', keyId: 'else' }),
    ],
  },
  'asked-nothing': { counts: [] },
};

/** Others: what is printed of them in a tab-separated line, and what is not. */
const partners: readonly (readonly [
  string,
  Partial<ReadinessFacts>,
  readonly RegExp[],
  RegExp?,
])[] = [
  [
    'uses fields=basic alone',
    { keys: [editor], counts: [used('/artists', { 'fields=basic': 3 })] },
    [/^photo\t/m],
    /songs\[\]|scouting_report/,
  ],
  [
    'uses fields=basic at times, with the scope for editorial',
    { keys: [editor], counts: [used('/artists', { 'fields=basic': 3 }), used('/artists')] },
    [/^songs\[\]/m, /^scouting_report\tan artist\teditorial\.scouting_report\t/m],
  ],
  [
    'got 304 alone',
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
    'sent a number out of its range',
    { counts: [used('/artists', { 'limit adjusted': 3, '?limit=500': 3, '?id=*': 9 })] },
    [/^\/artists\?limit=500\t200\t3\t/m, /^A number out of range\tlimit adjusted\t3\t/m],
    /given twice|not a number/,
  ],
  [
    'sent a parameter twice, and an empty one',
    { counts: [used('/spikes', { 'days adjusted': 2, '?days=3&days=4': 1, '?days=': 1 })] },
    [/^A limit or days that is empty or not a number; or a parameter sent twice\tdays adjusted\t/m],
    /out of its range/,
  ],
  [
    'sent a query that is too long',
    { counts: [used('/artists', { 'query none': 1 })] },
    [/^A query of more than 2,048 bytes\tquery none\t1\t/m],
    /cannot be understood/,
  ],
  [
    'asks for spikes, and was refused lists without a limit',
    { counts: [used('/spikes'), used('/artists', {}, { status: 400 })], artists: 51 },
    [/^period_days\tthe envelope\tmeta\.window\.days\t/m, /^tiktok\ta spike\t/m],
    /an artist|labels_tracked|without limit/,
  ],
  [
    'met 404 on a path where no behaviour of the form is one',
    { counts: [used('/signings', {}, { status: 404 })] },
    [/^404\t\d+\t/m],
    /relied on/,
  ],
  [
    'asks for signings, and for as many artists as both forms list',
    { counts: [used('/signings'), used('/artists')], artists: 50 },
    [/^_meta\.labels_tracked\[\]\t/m],
    /without limit|parameter to change|relied on/,
  ],
  [
    'asks for new artists of a longer list',
    { counts: [used('/artists', { new: 3 })], artists: 51 },
    [/^\/artists\?new=\t\/added\?days=\t3\t/m],
    /without limit/,
  ],
  [
    'asked for nothing that is there',
    { counts: [buildUsageCount({ route: undefined, status: 404 })] },
    [/^ready: nothing seen in 30 days needs to change$/m],
    /relied on/,
  ],
  [
    'has only tried the other form',
    { counts: [inCurrent('/artists'), inCurrent('/artists', { status: 403 })] },
    [/^ready: all requests in 30 days were made in the current form, 3 of them refused$/m],
  ],
  [
    'asked nothing with one of two keys, and may try the other form',
    {
      keys: [
        { ...pinned, allowEnvelopeOverride: true },
        { ...pinned, id: 'other' },
      ],
    },
    [
      /^ready after renames: \d+ things to change in 1 of 2 keys; other sent nothing in 30 days, so there is nothing to /m,
      /^It may try the current form now /m,
      /^key\tother\n(.*\n){3}seen in 30 days\tnothing$/m,
    ],
  ],
  [
    'asked nothing in time and too much before',
    { counts: [], minutes: [buildMinuteCount({ requests: 7 })] },
    [/^would exceed quota: 2 of 7 requests; it sent nothing in 30 days/m],
  ],
  [
    'has the other form already',
    { keys: [{ ...moved, id: pinned.id }] },
    [/^ready: it has the current form already$/m],
    /^next/m,
  ],
  [
    'is revoked, with settings of its own',
    { keys: [{ ...pinned, perHour: 500, sunset: '2027-01-01', revokedAt: now - 1 }] },
    [
      /^state\trevoked$/m,
      /has been revoked since .*\n.*500 requests an hour does not apply.*\n.*2027-01-01 is kept/,
    ],
    /^next/m,
  ],
  [
    'has expired',
    { keys: [{ ...pinned, expiresAt: now }] },
    [/^state\texpired$/m, /has been expired since /],
    /^next/m,
  ],
  [
    'moves back from histories of one artist',
    { keys: [moved], move: back, counts: [inCurrent('/artists/:id', { keyId: moved.id })] },
    [/^history\.\*\[\]\.date\tan artist\t–\t/m],
  ],
  [
    'moves back from histories of a list',
    {
      keys: [moved],
      move: back,
      counts: [inCurrent('/artists', { keyId: moved.id, uses: { 'include=history': 1 } })],
    },
    [/^history\.\*\[\]\.date\tan artist\t–\t/m],
  ],
];

const assess = (given: Partial<ReadinessFacts>) =>
  assessReadiness({
    organization: buildOrganization({ perMinute: 5, perDay: 900 }),
    keys: [pinned],
    move: requestedMove,
    days: 30,
    now,
    counts: [buildUsageCount({ uses: { new: 1 } })],
    minutes: [buildMinuteCount({ requests: 4 }), buildMinuteCount({ organizationId: 'else' })],
    artists: 10,
    forms,
    allowances: createAllowances(forms),
    ...given,
  });

/** What `readiness` prints in a pipe. */
const printed = (given: Partial<ReadinessFacts>): string => {
  const lines: string[] = [];
  printReadiness(assess(given), {}, { write: (text) => lines.push(text) });
  return lines.join('');
};

describe('the readiness of a partner', () => {
  it('needs counts of the given days including today, and minutes of today and the 7 full days before', () => {
    const replayedSince = Date.parse('2026-08-15T00:00:00Z');
    expect(readinessPeriod({ days: 3, now })).to.deep.equal({
      ...{ since: '2026-08-20', countsSince: '2026-08-15', replayedSince },
    });
    expect(readinessPeriod({ days: 30, now })).to.deep.equal({
      since: '2026-07-24',
      countsSince: '2026-07-24',
      replayedSince,
    });
  });

  it('is ready without a key of the form to leave, however much was asked', () => {
    const nothing = { keys: [], counts: [], minutes: [buildMinuteCount({ requests: 7 })] };
    expect(assess(nothing).line).to.equal('ready: it has no key of the variant form');
    expect(printed(nothing)).to.equal(
      'org_test has no key of the variant form: nothing has to move.\n',
    );
  });

  it('knows nothing of a key that sent nothing, whatever other keys of its organization sent', () => {
    const others = { counts: [], minutes: [buildMinuteCount({ keyId: 'other', requests: 70 })] };
    const { verdict, line, quota, keys } = assess(others);
    expect(quota.would_refuse).to.be.above(0);
    expect({ verdict, line }).to.deep.equal({
      verdict: 'unknown',
      line: 'unknown: it sent nothing in 30 days, so there is nothing to assess',
    });
    expect(keys[0]?.advice.join()).to.not.include('raise its quota');
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
    it(`tells a partner that ${what}, what it has to change`, () => {
      const text = printed(given);
      for (const line of shown) expect(text).to.match(line);
      if (hidden !== undefined) expect(text).to.not.match(hidden);
    });
});
