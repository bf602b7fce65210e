import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import type { KeyRecord } from '../../src/domain/caller.ts';
import { factsOfForm } from '../../src/domain/form-facts.ts';
import type { UsageCount } from '../../src/domain/usage.ts';
import { letterHtml, writeLetter } from '../../tools/cli/letter/letter.ts';
import { createAllowances } from '../../tools/migration/allowances.ts';
import { requestedMove as move } from '../../tools/migration/evidence.ts';
import { exampleCalls } from '../../tools/migration/example-calls.ts';
import { assessReadiness } from '../../tools/migration/readiness.ts';
import { buildKey, buildOrganization } from '../support/builders.ts';
import { buildUsageCount } from '../support/usage.ts';

const now = Date.parse('2026-11-21T12:00:00Z');
const days = 30;
const organization = buildOrganization({ id: 'acme', perMinute: undefined, perDay: undefined });

/** The letter to the partner of a key with this usage. */
const letterTo = (
  given: Partial<KeyRecord>,
  counts: readonly UsageCount[],
  supportContact?: string,
): string => {
  const { record: key } = buildKey({
    id: 'k1',
    form: 'variant',
    organizationId: 'acme',
    partner: 'Acme Radio',
    ...given,
  });
  const facts = {
    organization,
    keys: [key],
    move,
    days,
    now,
    counts,
    minutes: [],
    artists: 200,
    forms,
  };
  const { keys, quota } = assessReadiness({ ...facts, allowances: createAllowances(forms) });
  const [report] = keys;
  if (report === undefined) throw new Error('There is no report.');
  const sample = { id: 'art_1', documentId: 'doc1' };
  const identifierOf = (form: string) => factsOfForm(forms, form).artistIdentifier;
  const calls = exampleCalls({ counts, move, sample, identifierOf });
  return writeLetter({
    key,
    report,
    quota,
    days,
    calls,
    baseUrl: 'https://api.example.net',
    supportContact,
  });
};

const count = (given: Partial<UsageCount>): UsageCount =>
  buildUsageCount({
    keyId: 'k1',
    organizationId: 'acme',
    day: '2026-11-20',
    lastAt: now,
    ...given,
  });
/** Requests of every kind that changes, 60 a day. */
const everything: readonly UsageCount[] = [
  count({
    day: '2026-10-23',
    requests: 1_500,
    uses: {
      new: 300,
      id: 700,
      'fields=basic': 30,
      'limit>100': 20,
      'limit adjusted': 2,
      unknown: 4,
    },
  }),
  count({ requests: 100, status: 404, uses: { id: 100 } }),
  count({ requests: 200, route: '/api/v1/spikes', uses: { days: 10, 'days adjusted': 10 } }),
];
const introductionOf = (letter: string): string => letter.split('\n')[2] ?? '';

describe('a letter', () => {
  it('says in two sentences what ends and when, what happens then, what to do and whom to answer', () => {
    const letter = letterTo({ sunset: '2027-03-31' }, everything, 'mailto:partners@example.net');
    expect(letter).to.match(/^# Moving to the current form\n\nFor Acme Radio\. /);
    expect(introductionOf(letter)).to.match(
      /^For Acme Radio\. The variant form ends for your key `k1` on 2027-03-31: from that day on we no longer promise it to you, and nothing is switched off by itself\. Please make the \d+ changes below, for about 60 requests a day, and tell <mailto:partners@example\.net> when we may move your key\.$/,
    );
    expect(letter.indexOf('## ')).to.be.below(letter.indexOf('|'));
  });

  const introductions: readonly (readonly [
    string,
    Partial<KeyRecord>,
    readonly UsageCount[],
    RegExp,
  ])[] = [
    [
      'no day is set',
      {},
      everything,
      /We ask you to move your key `k1` from the variant form to the current form; no day is set, and nothing is switched/,
    ],
    [
      'the day has passed',
      { sunset: '2026-11-21' },
      everything,
      /The variant form ended for your key `k1` on 2026-11-21: /,
    ],
    [
      'the key expires',
      { expiresAt: now + 1 },
      everything,
      /and nothing but an expired key is switched off by itself\./,
    ],
    [
      'there was no request',
      {},
      [],
      /We saw no request of it in 30 days, so this letter has no example of yours: please tell us whether you still use it\.$/,
    ],
    [
      'there was one request',
      {},
      [count({ day: '2026-11-19', requests: 1 })],
      /below, for fewer than one request a day, and tell us when/,
    ],
    [
      'nothing has to change',
      {},
      [count({ day: '2026-10-23', route: '/api/v1/spikes', status: 500, requests: 90 })],
      /Nothing has to change for about 3 requests a day: please tell us when we may move your key\.$/,
    ],
  ];
  for (const [when, given, counts, text] of introductions)
    it(`says so when ${when}`, () =>
      expect(introductionOf(letterTo(given, counts))).to.match(text));

  it('has no blank cell, and says where a call stays as it is', () => {
    const letter = letterTo({}, everything);
    const rows = letter.split('\n').filter((line) => line.startsWith('| '));
    expect(rows.length).to.be.above(20);
    for (const row of rows)
      expect(
        row.split(' | ').every((cell) => /[^|\s]/.test(cell)),
        row,
      ).to.equal(true);
    const calls = rows
      .filter((row) => row.startsWith('| `GET'))
      .map((row) => row.replaceAll('`GET /api/v1', ''));
    expect(
      calls.map((row) => row.replaceAll('`', '').split(' | ').slice(0, 3).join(', ').slice(2)),
    ).to.deep.equal([
      '/artists → 200, unchanged, unchanged',
      '/spikes → 200, unchanged, unchanged',
      '/artists?id=doc1 → 200, /artists?id=doc1 → 200, /artists/art_1 → 200',
      '/artists?id=nobody → 404, /artists?id=nobody → 200, unchanged',
      '/artists?limit=200 → 200, /artists?limit=200 → 400, /artists?limit=100 → 200',
      '/artists?limit=201 → 200, /artists?limit=201 → 400, /artists?limit=100 → 200',
      '/artists?new=7 → 200, /artists?new=7 → 400, /added?days=7 → 200',
      '/artists?fields=basic → 200, /artists?fields=basic → 400, /artists → 200',
      '/spikes?days=31 → 200, /spikes?days=31 → 400, /spikes?days=30 → 200',
    ]);
  });

  it("has the columns of the operator's report that a partner can read, with code for what a program has", () => {
    const letter = letterTo({}, everything);
    expect(letter).to.include(
      '| relied on | requests | last | in the variant form | in the current form |\n',
    );
    expect(letter).to.include(' | 404 not\\_found | 200 with an empty list |\n');
    expect(letter).to.match(/^\| `success` \| around the items \| – \| do without \| /m);
  });

  it('names first the line that keeps a program as it is, in each language', () => {
    const [, second = ''] = letterTo({}, everything).split('\n## ');
    expect(second).to.include('moving.py serve --port 8081 --ids ids.csv --labels labels.txt');
    for (const kind of ['py', 'ts', 'mjs'])
      expect(second).to.include(`<https://api.example.net/docs/clients/moving.${kind}>`);
  });

  it('asks for a successor of a key that expires, and names that of one that was rotated', () => {
    const expiresAt = Date.parse('2026-12-24T00:00:00Z');
    const expiry = '- 2026-12-24T00:00:00.000Z: your key expires.';
    expect(letterTo({ expiresAt }, everything)).to.include(
      `${expiry} Ask us for its successor before then.`,
    );
    const rotated = letterTo({ expiresAt, replacedBy: 'k2' }, everything);
    expect(rotated)
      .to.include(`${expiry} Key \`k2\` replaces it.`)
      .and.not.to.include('Ask us for its successor');
    expect(letterHtml(rotated, 'For Acme Radio')).to.include('<code>k2</code>');
  });
});
