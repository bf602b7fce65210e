import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import type { KeyRecord } from '../../src/domain/caller.ts';
import type { MinuteCount, UsageCount } from '../../src/domain/usage.ts';
import { writeGuideOf } from '../../tools/cli/migration/guide.ts';
import { guideHtml } from '../../tools/cli/migration/guide-html.ts';
import { allowances } from '../../tools/cli/policy.ts';
import { assessMove } from '../../tools/migration/assess.ts';
import { buildKey, buildOrganization } from '../support/builders.ts';
import { useGateway } from '../support/gateway.ts';
import { buildMinuteCount, buildUsageCount } from '../support/usage.ts';

/** A guide as a person reviews it. `RECORD_MIGRATION=1` writes it again. */
const recording = new URL('../../fixtures/migration/guide.md', import.meta.url);

const now = Date.parse('2026-11-21T12:00:00Z');
const organization = buildOrganization({ id: 'acme', perMinute: undefined, perDay: undefined });

const opened = useGateway();

/** The guide for a key with this usage, over the example catalogue. */
const guideFor = (
  given: Partial<KeyRecord>,
  counts: readonly UsageCount[],
  minutes: readonly MinuteCount[] = [],
  supportContact?: string,
): Promise<string> => {
  const { record: key } = buildKey({
    id: 'k1',
    form: 'variant',
    organizationId: 'acme',
    partner: 'Acme Radio',
    scopes: ['artists:read', 'spikes:read', 'signings:read'],
    ...given,
  });
  const catalogue = opened.gateway.catalogue.value();
  if (catalogue === undefined) throw new Error('There is no catalogue.');
  const move = assessMove({
    ...{ organization, keys: [key], days: 30, now, counts, minutes, artists: 200, forms },
    allowances,
  });
  const [report] = move.keys;
  if (report === undefined) throw new Error('There is no report.');
  const settings = { catalogue, now, baseUrl: 'https://api.example.net', supportContact };
  return writeGuideOf(key, report, move, settings);
};

const count = (given: Partial<UsageCount>): UsageCount =>
  buildUsageCount({
    keyId: 'k1',
    organizationId: 'acme',
    day: '2026-11-20',
    lastAt: now,
    ...given,
  });
/** Requests of every path, 60 a day. */
const everything: readonly UsageCount[] = [
  count({
    day: '2026-10-23',
    requests: 1_493,
    uses: {
      ...{ 'fields=basic': 20, '?new=14&limit=150': 300, '?id=*': 700, '?limit=20': 74 },
      ...{ '?fields=basic&limit=200': 20, '?limit=500': 2, '?signed=true': 390, '?*': 4 },
      ...{ '?tier=*': 3 },
    },
  }),
  count({ requests: 100, status: 404, uses: { id: 100, '?id=*': 100 } }),
  count({ requests: 190, route: '/api/v1/spikes', uses: { days: 10, '?': 180, '?days=45': 10 } }),
  count({ requests: 10, route: '/api/v1/signings', uses: { '?': 10 } }),
  count({ requests: 9, route: '/api/v1/health', uses: { '?': 9 } }),
  count({ requests: 4, status: 429 }),
];
/** More requests in a minute than the quota has. */
const burst = [
  buildMinuteCount({
    ...{ keyId: 'k1', organizationId: 'acme', requests: 17 },
    minute: Date.parse('2026-11-20T03:00:00Z'),
  }),
];

const sectionOf = (guide: string, title: string): string =>
  guide.split('\n## ').find((part) => part.startsWith(`${title}\n`)) ?? '';

/** The first `number` cells of all rows of a table. */
const rowsOf = (section: string, number: number): readonly (readonly string[])[] =>
  section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.slice(2, -2).split(' | ').slice(0, number));

describe('a migration guide', () => {
  it('is written as recorded', async () => {
    const given = { sunset: '2027-03-31', deprecatedAt: Date.parse('2026-11-01T00:00:00Z') };
    const guide = await guideFor(given, everything, burst, 'mailto:partners@example.net');
    if (process.env['RECORD_MIGRATION'] === '1') writeFileSync(recording, guide);
    expect(guide).to.equal(readFileSync(recording, 'utf8'));
    expect(guide).not.to.match(/undefined|NaN|\{\{|acme\b|organization:|artist-gateway keys/);
  });

  const fields: readonly (readonly [
    string,
    Partial<KeyRecord>,
    readonly UsageCount[],
    ...(readonly RegExp[]),
  ])[] = [
    ['no end is announced', {}, everything, /^For Acme Radio, key `k1`\. No end date is set\. /m],
    ['the key sent nothing', {}, [], /^We saw no requests of this key in 30 days/m],
    [
      'all requests were in the current form',
      {},
      [count({ form: 'current', requests: 800 })],
      /^In 30 days we saw 800 requests in the current form and none in the variant form\.$/m,
    ],
    [
      'the key sends few requests',
      {},
      [count({ day: '2026-11-18', requests: 1, uses: { '?limit=20': 1 } })],
      /: less than one a day\.$/m,
    ],
    [
      'nothing was refused',
      {},
      [count({ uses: { '?limit=20': 3 } })],
      /^0 of 0 requests would have got 429\./m,
    ],
    [
      'the key may choose its form',
      { allowEnvelopeOverride: true },
      everything,
      /^3\. Your key may request the current form today\./m,
    ],
    [
      'the key expires',
      { expiresAt: Date.parse('2026-12-24T00:00:00Z') },
      everything,
      /^\| 2026-12-24T00:00:00\.000Z \| Your key expires\. Ask us for its successor before\. \|$/m,
    ],
    [
      'the key was rotated',
      { expiresAt: Date.parse('2026-12-24T00:00:00Z'), replacedBy: 'k2' },
      everything,
      /Your key expires\. Key `k2` replaces it\./,
      /when we can move key `k2`\./,
    ],
    [
      'some calls were counted without their query',
      {},
      [...everything, count({ requests: 7, uses: {} })],
      / 7 requests of more kinds are not in the table\./,
    ],
  ];
  for (const [when, given, counts, ...texts] of fields)
    it(`states it if ${when}`, async () => {
      const guide = await guideFor(given, counts);
      for (const text of texts) expect(guide).to.match(text);
    });

  it('names the parameters that the variant form ignores and the current form uses', async () => {
    const ignored = sectionOf(await guideFor({}, everything), 'Ignored parameters');
    expect(rowsOf(ignored, 1).flat()).to.deep.equal(
      ['added_since', 'name', 'include', 'cursor'].map((name) => `\`/artists?${name}=\``),
    );
    expect(await guideFor({}, everything.slice(1))).not.to.include('Ignored parameters');
  });

  it('names in its steps only sections that it has', async () => {
    for (const counts of [everything, everything.slice(2, 3), everything.slice(3)]) {
      const guide = await guideFor({}, counts, burst);
      const steps = sectionOf(guide, 'Change your program');
      for (const [, title = ''] of steps.matchAll(/"([A-Z][^"]+)"/g))
        expect(sectionOf(guide, title), title).to.not.equal('');
    }
  });

  it('contains no escapes in its text, even if the partner name needs them', async () => {
    for (const partner of ['Acme_Radio *1*', 'a | b', '<i>x</i>', 'www.example.org @all', '# 1']) {
      const guide = await guideFor({ partner }, everything, burst);
      const prose = guide.replaceAll(/```[\s\S]*?```/g, '').replaceAll('\\|', '');
      expect(prose, partner).not.to.include('\\');
      expect(guide).to.include(` --partner '${partner}'\n`);
      expect(guideHtml(guide, 'A guide').match(/<h1>/g), partner).to.have.length(1);
    }
    const quoted = await guideFor({ partner: "Rock 'n' Roll" }, everything);
    expect(quoted).to.include(` --partner 'Rock '\\''n'\\'' Roll'\n`);
  });
});
