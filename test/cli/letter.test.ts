import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import type { KeyRecord } from '../../src/domain/caller.ts';
import type { MinuteCount, UsageCount } from '../../src/domain/usage.ts';
import { writeLetterTo } from '../../tools/cli/letter/create-letter-writer.ts';
import { letterHtml } from '../../tools/cli/letter/letter.ts';
import { createAllowances } from '../../tools/migration/allowances.ts';
import { requestedMove as move } from '../../tools/migration/evidence.ts';
import { assessReadiness } from '../../tools/migration/readiness.ts';
import { buildKey, buildOrganization } from '../support/builders.ts';
import { readLetterCalls } from '../support/cli/letter-calls.ts';
import { keys } from '../support/forms/form-keys.ts';
import { useGateway } from '../support/gateway.ts';
import { buildMinuteCount, buildUsageCount } from '../support/usage.ts';

const now = Date.parse('2026-11-21T12:00:00Z');
const days = 30;
const organization = buildOrganization({ id: 'acme', perMinute: undefined, perDay: undefined });

const opened = useGateway();

/** The letter to the partner of a key with this usage, over the example catalogue. */
const letterTo = async (
  given: Partial<KeyRecord>,
  counts: readonly UsageCount[],
  supportContact?: string,
  minutes: readonly MinuteCount[] = [],
  reads?: readonly string[],
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
  const readiness = assessReadiness({
    ...{ organization, keys: [key], move, days, now, counts, minutes, artists: 200, forms },
    ...(reads === undefined ? {} : { reads: new Set(reads) }),
    allowances: createAllowances(forms),
  });
  const [report] = readiness.keys;
  if (report === undefined) throw new Error('There is no report.');
  const settings = { catalogue, now, baseUrl: 'https://api.example.net', supportContact };
  return writeLetterTo(key, report, readiness, settings);
};

const count = (given: Partial<UsageCount>): UsageCount =>
  buildUsageCount({
    keyId: 'k1',
    organizationId: 'acme',
    day: '2026-11-20',
    lastAt: now,
    ...given,
  });
/** Requests that were kept call by call, 60 a day. */
const everything: readonly UsageCount[] = [
  count({
    day: '2026-10-23',
    requests: 1_500,
    uses: {
      ...{ new: 300, id: 700, 'fields=basic': 30, 'limit>100': 20, 'limit adjusted': 2 },
      ...{ unknown: 4, '?new=14&limit=150': 300, '?id=*': 700, '?fields=basic&limit=200': 20 },
      ...{ '?limit=500': 2, '?signed=true': 400, '?limit=20': 74, '?*': 4 },
    },
  }),
  count({ requests: 100, status: 404, uses: { id: 100, '?id=*': 100 } }),
  count({ requests: 190, route: '/api/v1/spikes', uses: { days: 10, '?': 180, '?days=45': 10 } }),
  count({ requests: 10, route: '/api/v1/signings', uses: { '?': 10 } }),
];
const introductionOf = (letter: string): string => letter.split('\n')[2] ?? '';
const sectionOf = (letter: string, title: string): string =>
  letter.split('\n## ').find((part) => part.startsWith(`${title}\n`)) ?? '';
/** The cells of the first row of a table that begins with this code. */
const cellsOf = (letter: string, code: string): readonly string[] =>
  letter
    .split('\n')
    .find((line) => line.startsWith(`| \`${code}\` | `))
    ?.slice(2, -2)
    .split(' | ') ?? [];

/** The first `number` cells of all rows of a table. */
const rowsOf = (section: string, number: number): readonly (readonly string[])[] =>
  section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.slice(2, -2).split(' | ').slice(0, number));

/** The paths of all values in JSON: `[]` is every item of a list. */
const pathsIn = (value: unknown, path = ''): readonly string[] => {
  const inner = Array.isArray(value)
    ? value.flatMap((item) => pathsIn(item, `${path}[]`))
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, member]) =>
          pathsIn(member, path === '' ? name : `${path}.${name}`),
        )
      : [];
  return [path, ...inner];
};

/** More requests in a minute than the quota has. */
const burst = [buildMinuteCount({ keyId: 'k1', organizationId: 'acme', requests: 17 })].map(
  (minute) => ({ ...minute, minute: Date.parse('2026-11-20T03:00:00Z') }),
);

describe('a letter', () => {
  it('says in two sentences what ends and when, what happens then, what to do and whom to answer', async () => {
    const letter = await letterTo(
      { sunset: '2027-03-31' },
      everything,
      'mailto:partners@example.net',
    );
    expect(letter).to.match(/^# Moving to the current form\n\nFor Acme Radio\. /);
    expect(introductionOf(letter)).to.match(
      /^For Acme Radio\. The variant form ends for your key `k1` on 2027-03-31: we no longer support it for you from that day on, and nothing is switched off automatically\. Please change 7 calls as described below and adapt those of \d+ members that your program reads, for about 60 requests a day, and tell <mailto:partners@example\.net> when we can move your key\.$/,
    );
    expect(letter.indexOf('## Steps')).to.be.below(letter.indexOf('| the call today'));
  });

  const introductions: readonly (readonly [
    string,
    Partial<KeyRecord>,
    readonly UsageCount[],
    RegExp,
  ])[] = [
    [
      'no date is set',
      {},
      everything,
      /We ask you to move your key `k1` from the variant form to the current form; no date is set, and nothing is switched/,
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
      /and nothing except an expired key is switched off automatically\./,
    ],
    [
      'there was no request',
      {},
      [],
      /We saw no requests with it in 30 days, so this letter cannot show your own calls: please tell us whether you still use it\.$/,
    ],
    [
      'every request was in the current form',
      {},
      [count({ form: 'current', requests: 800 })],
      /switched off automatically\. We saw 800 requests with it in 30 days, all in the current form: please tell us when we can move your key\.$/,
    ],
    [
      'there was one request',
      {},
      [count({ day: '2026-11-19', requests: 1 })],
      /reads, for fewer than one request a day, and tell us when/,
    ],
    [
      'nothing has to change',
      {},
      [count({ day: '2026-10-23', route: '/api/v1/spikes', status: 500, requests: 90 })],
      /You do not need to change anything for about 3 requests a day: please tell us when we can move your key\.$/,
    ],
  ];
  for (const [when, given, counts, text] of introductions)
    it(`says so when ${when}`, async () =>
      expect(introductionOf(await letterTo(given, counts))).to.match(text));

  const today = { day: '2026-11-21', route: '/api/v1/artists' };
  const long = count({ ...today, requests: 3, uses: { 'limit>100': 3, '?limit=200': 3 } });
  const tried = count({ ...today, form: 'current', requests: 1, uses: { '?limit=100': 1 } });
  const minute = { minute: now - 3_600_000, keyId: 'k1', organizationId: 'acme' };

  it('has one number of requests a day before the move, and one after it', async () => {
    const minutes = [buildMinuteCount({ ...minute, requests: 4 })];
    const letter = await letterTo({}, [long, tried], undefined, minutes);
    expect(introductionOf(letter)).to.include(', for about 4 requests a day, and tell us');
    expect(sectionOf(letter, 'Your calls'))
      .to.match(
        /^We saw 3 requests in the variant form since 2026-11-21, the last at \S+, and 1 in the current form: about 4 requests a day\. /m,
      )
      .and.include(
        ' after the move: about 4 requests a day become at most about 7 requests a day (with every list read to its end).',
      );
    expect(sectionOf(letter, 'Your quota'))
      .to.match(/ 0 of 7 would have been refused /)
      .and.include('\nYour requests fit: at most 7 a minute and 7 a UTC day.\n');
  });

  it('says so where the number of requests a day stays', async () => {
    const letter = await letterTo({}, [count({ ...today, requests: 2, uses: { '?limit=20': 2 } })]);
    const calls = sectionOf(letter, 'Your calls');
    expect(calls).to.include('and 1 after the move: still about 2 requests a day.');
    expect(calls).to.match(/since 2026-11-21, the last at \S+: about 2 requests a day\./);
    expect(sectionOf(letter, 'Your quota')).to.include('\nYour requests fit.\n');
  });

  it('says which quota applies until the key is moved, when to repeat a request and when to stop', async () => {
    const letter = await letterTo({}, everything);
    expect(sectionOf(letter, 'Your quota')).to.include(
      "Until we have moved the key, today's hourly quota applies, also with `X-Envelope: current`.",
    );
    expect(sectionOf(letter, 'Errors')).to.include(
      'After 429 `rate_limited` and 503, wait `Retry-After` seconds and repeat the request, at most four times; after 429 `quota_exceeded`, stop',
    );
  });

  it('says in a row why a list stops, and which empty list is no 404', async () => {
    const letter = await letterTo({}, [
      count({ uses: { '?signed=true': 1, '?signed=true&limit=5': 1 } }),
      count({ status: 404, uses: { '?id=*': 1, '?id=*&signed=true': 1 } }),
      count({ uses: { '?id=*&signed=false': 1 } }),
    ]);
    const whyOf = (path: string): string =>
      letter.split('\n').find((line) => line.startsWith(`| \`GET /api/v1${path}\` `)) ?? '';
    const stops = 'Without `limit` a list had at most 100 artists until now.';
    expect(whyOf('/artists?signed=true')).to.include(stops);
    expect(whyOf('/artists?signed=true&limit=5')).to.not.equal('').and.not.include(stops);
    const empty = 'If only your filter leaves nothing, that is an empty list as today, no 404.';
    expect(whyOf('/artists?id=nobody&signed=true')).to.include(empty);
    expect(letter).to.match(new RegExp(`/artists\\?id=(?!nobody)\\w+&signed=false\`.*${empty}`));
    expect(whyOf('/artists?id=nobody')).to.not.equal('').and.not.include(empty);
  });

  for (const [reader, reads] of [
    ['every program', undefined],
    ['a program that reads names alone', ['artists.name']],
  ] as const)
    it(`names for ${reader} every member that a response has then and none has today`, async () => {
      const { record, text } = keys.variant.override;
      const letter = await letterTo({ scopes: record.scopes }, everything, undefined, [], reads);
      const moved = rowsOf(sectionOf(letter, 'Members that moved'), 3);
      const added = rowsOf(sectionOf(letter, 'New members'), 2);
      expect(sectionOf(letter, 'New members')).to.include('this table is complete');
      const named = [
        ...moved.map(([, of, place]) => `${of} ${place}`),
        ...added.map(([place, of]) => `${of?.replace(/ of .*/, '')} ${place}`),
      ].map((one) => one.replaceAll('`', ''));
      let compared = 0;
      for (const [path, item] of [
        ['artists', 'an artist'],
        ['spikes', 'a spike'],
        ['signings', 'a signing'],
      ]) {
        const membersOf = async (headers: Record<string, string>) => {
          const { body } = await opened.get(`/api/v1/${path}`, text, headers).expect(200);
          return new Set(
            pathsIn(body)
              .filter((member) => !/^$|\[\]$/.test(member))
              .map((member) =>
                member.startsWith('data[].')
                  ? `${item} ${member.slice('data[].'.length)}`
                  : `the envelope ${member}`,
              ),
          );
        };
        const before = await membersOf({});
        for (const member of await membersOf({ 'X-Envelope': 'current' })) {
          if (!before.has(member)) expect(named, path).to.include(member);
          compared += 1;
        }
      }
      expect(compared).to.be.above(60);
    });

  it('has no blank cell, and each call in one row with all its parameters', async () => {
    const letter = await letterTo({}, everything);
    const rows = letter.split('\n').filter((line) => line.startsWith('| '));
    expect(rows.length).to.be.above(60);
    for (const row of rows)
      expect(
        row.split(' | ').every((cell) => /[^|\s]/.test(cell)),
        row,
      ).to.equal(true);
    expect(
      readLetterCalls(letter).map(({ today, instead }) => [today.path.slice(7), instead]),
    ).to.deep.equal([
      ['/artists?id=66aa3a05d9d57c08d694cf23', '`GET /api/v1/artists?id=art_0dk5mb`'],
      [
        '/artists?signed=true',
        '`GET /api/v1/artists?limit=100`; then the same with `&cursor=` and `meta.next_cursor`, until that is `null`; keep items with `signing.status` equal to `signed`; stop at 100 items',
      ],
      [
        '/artists?new=14&limit=150',
        '`GET /api/v1/artists?added_since=2026-11-07&limit=100`; then the same with `&cursor=` and `meta.next_cursor`, until that is `null`; keep items with `date_added` not after `2026-11-21` (today); stop at 150 items',
      ],
      ['/artists?limit=20', 'the same call'],
      [
        '/artists?fields=basic&limit=200',
        '`GET /api/v1/artists?limit=100`; then the same with `&cursor=` and `meta.next_cursor`, until that is `null`; stop at 200 items',
      ],
      ['/artists?other=1', '`GET /api/v1/artists?limit=100`'],
      [
        '/artists?limit=500',
        '`GET /api/v1/artists?limit=100`; then the same with `&cursor=` and `meta.next_cursor`, until that is `null`; stop at 200 items',
      ],
      ['/artists?id=nobody', 'the same call'],
      ['/spikes', 'the same call'],
      ['/spikes?days=45', '`GET /api/v1/spikes?days=30`'],
      ['/signings', 'the same call'],
    ]);
  });

  it('names in its steps only sections that it has, and numbers them without a gap', async () => {
    for (const counts of [everything, everything.slice(2, 3), everything.slice(3)]) {
      const letter = await letterTo({}, counts, undefined, burst);
      const steps = sectionOf(letter, 'Steps');
      const numbers = [...steps.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
      expect(numbers).to.deep.equal(numbers.map((_number, index) => index + 1)).and.not.be.empty;
      for (const [, title = ''] of steps.matchAll(/"([A-Z][^"]+)"/g))
        expect(sectionOf(letter, title), title).to.not.equal('');
    }
  });

  it('says where every member is now and how often it is sent, and which are new', async () => {
    const letter = await letterTo({}, everything);
    expect(cellsOf(letter, 'photo').slice(1, 5)).to.deep.equal([
      'an artist',
      '`photo_url`',
      'sometimes',
      'rename',
    ]);
    expect(cellsOf(letter, 'signed_status')[4]).to.equal('read; if absent, use "unknown"');
    expect(cellsOf(letter, '_meta.labels_tracked[]')[4]).to.equal('read labels.txt');
    expect(cellsOf(letter, '_meta.authenticated_as')[2]).to.equal('`Acme Radio`');
    expect(cellsOf(letter, 'meta.next_cursor').slice(1, 4)).to.deep.equal([
      'the envelope',
      'always',
      'string or null',
    ]);
    expect(cellsOf(letter, 'songs[].rights.p_line')[2]).to.equal('sometimes');
    expect(cellsOf(letter, 'meta.engine')[1]).to.equal('the envelope of /spikes');
    expect(letter).to.include('Your key gets `scouting_report` in neither form');
    expect(letter).not.to.match(/`(history|editorial|signing\.note)/);
  });

  it('counts only the members that the program reads, and says how many others moved', async () => {
    const reads = [
      'artists.photo',
      'artists.songs.streams',
      'artists.name',
      '_meta.labels_tracked',
    ];
    const letter = await letterTo({}, everything, undefined, [], reads);
    expect(introductionOf(letter)).to.include(' and adapt 3 members, for about ');
    const moved = sectionOf(letter, 'Members that moved');
    expect([...moved.matchAll(/^\| `(\S+)` /gm)].map(([, member]) => member)).to.deep.equal([
      '_meta.labels_tracked[]',
      'photo',
      'songs[].streams',
    ]);
    expect(moved).to.match(
      /These are the ones that your program reads, according to your list; 1\d other members moved too \(<https:/,
    );
    expect(sectionOf(letter, 'What stays the same')).to.include(
      '- A member that your program reads and that is in neither table keeps its name',
    );
    expect(cellsOf(letter, 'photo_url')).to.deep.equal([]);
    expect(cellsOf(letter, 'signing.status').slice(1, 3)).to.deep.equal(['an artist', 'sometimes']);
    const none = await letterTo({}, everything, undefined, [], ['artists.name']);
    expect(introductionOf(none)).to.match(/Please change \d calls as described below, for about /);
    expect(sectionOf(none, 'Members that moved')).to.include('Your program reads none of them, ');
  });

  it('has the members of a scope for a key that has it, and songs as new for one that asked without', async () => {
    const basic = [count({ requests: 3, uses: { 'fields=basic': 3, '?fields=basic': 3 } })];
    const scopes = ['artists:read', 'editorial:read', 'signing-notes:read'] as const;
    const letter = await letterTo({ scopes }, basic);
    for (const [member, sent] of [
      ['songs', 'always'],
      ['songs[].metrics.streams', 'sometimes'],
      ['editorial.scouting_report', 'sometimes'],
      ['signing.note', 'sometimes'],
    ] as const)
      expect(cellsOf(letter, member)[2], member).to.equal(sent);
    expect(letter).not.to.include('in neither form');
  });

  it('tells of a refusal of nobody’s identifier as the call does', async () => {
    const [row] = readLetterCalls(await letterTo({}, everything.slice(1, 2)));
    expect(row).to.deep.include({ items: 0, instead: 'the same call' });
    expect(row?.today.status).to.equal(404);
    expect(row?.unchanged?.status).to.equal(200);
    const errors = [...everything, count({ status: 429, requests: 4 })];
    const told = sectionOf(await letterTo({}, errors), 'Errors');
    expect(told.match(/^\| \d+ /gm)).to.deep.equal(['| 429 ']);
  });

  it('has what is known of requests that were not kept call by call', async () => {
    const older = [...everything, count({ day: '2026-10-24', requests: 7, uses: { new: 7 } })];
    const letter = await letterTo({}, older);
    expect(letter).to.include('Of these, 7 requests are not in this table');
    expect(sectionOf(letter, 'Other requests')).to.include('`/artists?new=`');
    expect(await letterTo({}, everything)).not.to.include('Other requests');
  });

  it('has the whole line of the check and of the program that keeps another as it is, and the calls to check', async () => {
    const partner = "Rock 'n' Roll & Co";
    const base = 'ARTIST_API_URL=https://api.example.net ARTIST_API_KEY=… python3 moving.py';
    const given = `--ids ids.csv --labels labels.txt --partner='Rock '\\''n'\\'' Roll & Co'`;
    const letter = await letterTo({ partner }, everything);
    expect(letter).to.include(
      "\n```sh\ncurl -fO https://api.example.net/docs/clients/moving.py\ncat > calls-of-letter.txt <<'END'\n",
    );
    // A block of its own: pasted again, it does not write the file again.
    expect(letter).to.include(`\n\`\`\`sh\n${base} check calls-of-letter.txt ${given}\n\`\`\`\n`);
    const [, file = ''] = /^cat > (\S+) /m.exec(letter) ?? [];
    expect(readFileSync('docs/generated/migration.md', 'utf8')).not.to.include(file); // it records into another
    expect(letter).to.include(`\n${base} serve --port 8081 ${given}\n`);
    const [, list = ''] = /<<'END'\n([\s\S]*?)\nEND\n/.exec(letter) ?? [];
    const [today, instead] = [0, 1].map((column) =>
      list.split('\n').map((line) => line.split(' ')[column]),
    );
    expect(today).to.deep.equal(readLetterCalls(letter).map(({ today: { path } }) => path));
    expect(instead?.slice(0, 3)).to.deep.equal([
      '/api/v1/artists?id=art_0dk5mb',
      '/api/v1/artists?limit=100',
      '/api/v1/artists?added_since={today-14}&limit=100',
    ]);
    const unknown = [count({ requests: 1, uses: { tier: 1, '?tier=*': 1 } })];
    const other = await letterTo({ partner }, unknown);
    expect(other).to.include('\n/api/v1/artists?tier=text -\n');
    expect(other).to.include('`text` stands for any value that is not valid there');
    const waiting = await letterTo({ partner }, everything, undefined, burst);
    expect(waiting).to.include(`\n${base} serve --port 8081 ${given} --wait\n`);
    expect(waiting).to.include('By default the program waits');
    for (const [kind, needs] of [
      ['py', 'Python 3.9 or later'],
      ['mjs', 'Node 20.19 or later'],
      ['ts', 'its source'],
    ])
      expect(letter).to.include(`<https://api.example.net/docs/clients/moving.${kind}> (${needs})`);
  });

  it('has no escapes where it is read as text, whatever the partner is called', async () => {
    for (const partner of ['Acme_Radio *1*', 'a | b', '<i>x</i>', 'www.example.org @all', '# 1']) {
      const letter = await letterTo({ partner }, everything, undefined, burst);
      const prose = letter.replaceAll(/```[\s\S]*?```/g, '').replaceAll('\\|', '');
      expect(prose, partner).not.to.include('\\');
      const page = letterHtml(letter, 'A letter');
      expect(page).not.to.match(/<i>|<a href="[^"]*example\.org/);
      expect(page.match(/<h1>/g), partner).to.have.length(1);
    }
  });

  it('asks for a key that may choose its form first, where it may not', async () => {
    expect(await letterTo({ allowEnvelopeOverride: true }, everything)).to.include(
      'Your key stays the same. It may request the current form today: send the header `X-Envelope: current`',
    );
    expect(await letterTo({}, everything)).to.include('Ask us to let it try the current form');
  });

  it('asks for a successor of a key that expires, and names that of one that was rotated', async () => {
    const expiresAt = Date.parse('2026-12-24T00:00:00Z');
    const expiry = '- 2026-12-24T00:00:00.000Z: your key expires.';
    expect(await letterTo({ expiresAt }, everything)).to.include(
      `${expiry} Ask us for its successor before then.`,
    );
    const rotated = await letterTo({ expiresAt, replacedBy: 'k2' }, everything);
    expect(rotated)
      .to.include(`${expiry} Key \`k2\` replaces it.`)
      .and.not.to.include('Ask us for its successor');
    expect(rotated)
      .to.include('Use the key `k2` from now on: yours expires. ')
      .and.include('Tell us when we can move the key `k2`.')
      .and.not.include('Your key stays the same');
    expect(letterHtml(rotated, 'For Acme Radio')).to.include('<code>k2</code>');
  });
});
