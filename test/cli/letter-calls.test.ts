import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { addDays } from '../../src/domain/day.ts';
import { signingStatuses, tiers } from '../../src/domain/model.ts';
import { writeLetterTo } from '../../tools/cli/letter/create-letter-writer.ts';
import { createAllowances } from '../../tools/migration/allowances.ts';
import { requestedMove } from '../../tools/migration/evidence.ts';
import { assessReadiness } from '../../tools/migration/readiness.ts';
import { buildArtist, buildOrganization, buildPoint, buildSeries } from '../support/builders.ts';
import { carryOut, type LetterRow, readLetterCalls } from '../support/cli/letter-calls.ts';
import { keys } from '../support/forms/form-keys.ts';
import { createTestGateway, useGateway } from '../support/gateway.ts';
import { movers, runCheck, writeImpatient } from '../support/partners/moving.ts';
import { createTestSource } from '../support/source.ts';
import { buildUsageCount } from '../support/usage.ts';

const today = '2026-08-22';

/** 300 artists, two a day from tomorrow back, of every tier and status and of none. */
const manyArtists = Array.from({ length: 300 }, (_, index) => {
  const number = String(index).padStart(3, '0');
  return buildArtist({
    id: `art_${number}`,
    documentId: `doc_${number}`,
    name: `Artist ${number}`,
    dateAdded: index < 290 ? addDays(today, 1 - Math.floor(index / 2)) : undefined,
    tier: [...tiers, undefined][index % 5],
    signing: { status: [...signingStatuses, undefined][index % 7], note: undefined },
  });
});
const growing = buildSeries({
  artistId: 'art_003',
  metric: 'monthly_listeners',
  points: Array.from({ length: 34 }, (_, index) =>
    buildPoint(addDays(today, index - 33), 1000 * 2 ** index),
  ),
});

/** Calls as usage names them, with one parameter and with several. */
const artistsCalls = [
  '?',
  '?limit=20',
  '?limit=50',
  '?limit=100',
  '?limit=101',
  '?limit=150',
  '?limit=200',
  '?limit=500',
  '?limit=0',
  '?limit=*',
  '?limit=',
  '?limit=>9999',
  '?limit=5&limit=150',
  '?tier=watch',
  '?tier=watch&limit=30',
  '?tier=breaking&limit=150',
  '?tier=*',
  '?tier=',
  '?tier=established&tier=*',
  '?signed=true',
  '?signed=false',
  '?signed=true&limit=5',
  '?signed=false&limit=200',
  '?signed=*',
  '?tier=watch&signed=true',
  '?fields=basic',
  '?fields=*',
  '?fields=basic&limit=200',
  '?new=0',
  '?new=1',
  '?new=14',
  '?new=90',
  '?new=91',
  '?new=365',
  '?new=>9999',
  '?new=*',
  '?new=14&limit=5',
  '?new=90&limit=150',
  '?new=14&limit=150',
  '?new=30&tier=watch',
  '?new=60&signed=false&limit=20',
  '?new=60&signed=true&fields=basic',
  '?id=*',
  '?id=*&fields=basic',
  '?id=*&signed=true',
  '?id=*&signed=false',
  '?id=*&new=30',
  '?id=*&tier=established',
  '?id=',
  '?*',
  '?limit=10&*',
];
const calls: readonly (readonly [route: string, query: string, status: number])[] = [
  ...artistsCalls.map((query) => ['artists', query, 200] as const),
  ['artists', '?id=*', 404],
  ['artists', '?id=*&fields=basic', 404],
  ...['?', '?days=1', '?days=30', '?days=45', '?days=*', '?days=>9999', '?*'].map(
    (query) => ['spikes', query, 200] as const,
  ),
  ['signings', '?', 200],
  ['signings', '?*', 200],
  ['health', '?', 200],
];

const counts = calls.map(([route, query, status]) =>
  buildUsageCount({
    keyId: keys.variant.override.record.id,
    route: `/api/v1/${route}`,
    status,
    requests: 1,
    uses: { [query]: 1 },
  }),
);

/** A row of each kind as the list of the check begins it, and what it must not have instead. */
const changedRows: readonly (readonly [row: string, wrong: string])[] = [
  ['/artists ', '/api/v1/artists'],
  ['/artists?limit=101 ', '/api/v1/artists?limit=101'],
  ['/artists?limit=200 ', '/api/v1/artists?tier=watch&limit=100'],
  ['/artists?tier=watch ', '/api/v1/artists?tier=breaking&limit=100'],
  ['/artists?tier=text ', '/api/v1/artists?limit=100'],
  ['/artists?signed=true ', '-'],
  ['/artists?tier=watch&signed=true ', '/api/v1/artists?limit=100'],
  ['/artists?new=14 ', '/api/v1/added?days=13'],
  ['/artists?new=365 ', '/api/v1/artists?added_since={today-20}&limit=100'],
  ['/artists?new=30&tier=watch ', '/api/v1/artists?added_since={today-30}&limit=100'],
  ['/artists?id=doc_000 ', '/api/v1/artists?id=art_200'],
  ['/artists?id=nobody ', '/api/v1/artists?id=art_001'],
  ['/spikes?days=45 ', '/api/v1/spikes?days=45'],
  ['/spikes ', '/api/v1/spikes?days=7'],
  ['/signings ', '/api/v1/spikes'],
];

const catalogues = {
  'the example catalogue': {},
  '300 artists': { source: createTestSource({ artists: manyArtists, series: [growing] }) },
};

for (const [name, options] of Object.entries(catalogues))
  describe(`the calls of a letter, over ${name}`, () => {
    const opened = useGateway(() => createTestGateway(options));
    const key = keys.variant.override;
    let letter = '';
    let rows: readonly LetterRow[] = [];
    /** The identifier of an artist in the current form, by that in the variant form. */
    const stableIds = new Map<string, string>();

    const get = async (path: string, headers: Record<string, string> = {}) => {
      const { status, body } = await opened.get(path, key.text, headers);
      return { status, body };
    };
    const asCurrent = (path: string) => get(path, { 'X-Envelope': 'current' });

    /** What both forms name an item by. */
    const nameOf = (item: object): unknown => {
      const members = new Map(Object.entries(item));
      const id = members.get('id');
      return id === undefined
        ? [members.get('artist_name'), members.get('metric'), members.get('current')]
        : (stableIds.get(id) ?? id);
    };
    const namesOf = (items: readonly object[] | undefined) => items?.map(nameOf);

    before(async () => {
      const catalogue = opened.gateway.catalogue.value();
      if (catalogue === undefined) throw new Error('There is no catalogue.');
      for (const { artist } of catalogue.snapshot.listed)
        stableIds.set(artist.documentId, artist.id);
      const now = opened.clock.now();
      const readiness = assessReadiness({
        ...{ organization: buildOrganization(), keys: [key.record], move: requestedMove },
        ...{ days: 30, now, counts, minutes: [], artists: catalogue.snapshot.listed.length, forms },
        allowances: createAllowances(forms),
      });
      const [report] = readiness.keys;
      if (report === undefined) throw new Error('There is no report.');
      const settings = { catalogue, now, baseUrl: 'http://127.0.0.1:1', supportContact: undefined };
      letter = await writeLetterTo(key.record, report, readiness, settings);
      rows = readLetterCalls(letter);
    });

    it('are a row for each call that was made', () => {
      expect(rows).to.have.length(calls.length);
      expect(new Set(rows.map(({ today: { path } }) => path)).size).to.equal(calls.length);
    });

    it('are answered today as it says', async () => {
      for (const { today: told } of rows) {
        const { status, body } = await get(told.path);
        expect({ path: told.path, status, items: body.data?.length }).to.deep.equal(told);
      }
    });

    it('are answered as it says when they are sent unchanged after the move', async () => {
      for (const { today: told, unchanged } of rows) {
        const { status, body } = await asCurrent(told.path);
        const before = await get(told.path);
        if (unchanged === undefined) {
          expect(status, told.path).to.equal(told.status);
          expect(namesOf(body.data), told.path).to.deep.equal(namesOf(before.body.data));
        } else {
          const items = status === 200 ? body.data?.length : undefined;
          expect({ path: told.path, status, items }).to.deep.equal(unchanged);
        }
      }
    });

    it('have an identifier that is answered with an item, but where no artist passes the other filters', () => {
      const lookUps = rows.filter(
        ({ today: { path, status } }) => status === 200 && /[?&]id=[^&]/.test(path),
      );
      expect(lookUps).to.have.length(6);
      for (const { today: told, items } of lookUps)
        expect([told.items, items], told.path).to.deep.equal([1, 1]);
    });

    it('give the same items in the same order, in as many requests as it says, when it is carried out', async () => {
      for (const row of rows) {
        const before = await get(row.today.path);
        const { items, requests } = await carryOut(row, asCurrent);
        expect(requests, row.today.path).to.equal(row.requests);
        expect(items?.length, row.today.path).to.equal(row.items);
        const now = namesOf(items?.map((item) => Object(item)));
        const expected = row.today.status === 404 ? [] : namesOf(before.body.data);
        expect(now, row.today.path).to.deep.equal(expected);
      }
    });

    for (const kind of Object.keys(movers)) {
      const check = async (lines: readonly string[]) => {
        const folder = mkdtempSync(join(tmpdir(), 'letter-'));
        const program = writeImpatient(kind, folder);
        const host = `127.0.0.1:${opened.port}`;
        const documentIds = Object.fromEntries([...stableIds].map(([given, own]) => [own, given]));
        const labelsTracked = opened.gateway.catalogue.value()?.snapshot.labels ?? [];
        const from = { host, key: key.text, documentIds, labelsTracked };
        const { partner } = key.record;
        const outcome = await runCheck(program, { ...from, partner }, lines, '--wait');
        rmSync(folder, { recursive: true });
        return outcome;
      };
      const listed = () => /<<'END'\n([\s\S]*?)\nEND\n/.exec(letter)?.[1]?.split('\n') ?? [];

      it(`are all equal to moving.${kind} as the letter lists them`, async () => {
        const { code, stdout, errors } = await check(listed());
        expect([code, ...errors], stdout).to.deep.equal([0]);
        expect(stdout).to.match(new RegExp(`\n${calls.length} of ${calls.length} equal\n$`));
      }).timeout(120_000);

      if (name === '300 artists')
        it(`are named by moving.${kind} where a row of any kind is changed`, async () => {
          for (const [row, wrong] of changedRows) {
            const lines = listed().filter((line) => line.startsWith(`/api/v1${row}`));
            expect(lines, row).to.have.length(1);
            const [call = '', instead = ''] = lines[0]?.split(' ') ?? [];
            const { code, stdout } = await check(['/api/v1/signings', `${call} ${wrong}`]);
            expect(instead, row).not.to.equal(wrong);
            expect(code, row).to.equal(1);
            expect(stdout).to.match(/\n1 of 2 equal, then /);
            expect(stdout).to.include(`${call} with ${wrong} instead `);
          }
        }).timeout(180_000);
    }

    if (name === '300 artists')
      for (const [text, wrong] of [
        [/stop at 150 items/, 'stop at 149 items'],
        [/`signing.status` equal to `signed`/, '`signing.status` equal to `unsigned`'],
        [/\/added\?days=90`/, '/added?days=9`'],
        [/; then the same with .*? that is `null`/, ''],
        [/`date_added` not after `2026-08-22`/, '`date_added` not after `2026-08-23`'],
      ] as const)
        it(`differ when a row of the letter has ${wrong || 'no further pages'} instead of ${text}`, async () => {
          const row = rows.find(({ instead, requests }) => text.test(instead) && requests > 0);
          if (row === undefined) throw new Error(`No row says ${text}.`);
          const changed = { ...row, instead: row.instead.replace(text, wrong) };
          const { items } = await carryOut(changed, asCurrent);
          const before = await get(row.today.path);
          const now = namesOf(items?.map((item) => Object(item)));
          expect(now, row.today.path).not.to.deep.equal(namesOf(before.body.data));
        });
  });
