import { expect } from 'chai';
import { applyBaseline, baselineSchema, createBaseline } from '../../adapters/compare/baseline.ts';
import { type ComparisonCase, readCases } from '../../adapters/compare/cases/cases.ts';
import { createReport } from '../../adapters/compare/verdict.ts';
import type { Form } from '../../adapters/forms/form.ts';
import type * as wire from '../../adapters/forms/variant/wire.ts';
import { drawTable } from '../../adapters/text/table.ts';
import { addDays } from '../../src/domain/day.ts';
import { casesFolder } from '../../src/runtime/config.ts';
import { buildRun } from '../support/compare/build-run.ts';
import { runWithFault } from '../support/compare/catch-fault.ts';
import { currentSignings, variantArtists, variantSpikes } from '../support/compare/faulty.ts';

type Bug = (form: Form) => Form;
type Artist = wire.ArtistWire;

const artists = (show: (artist: Artist) => object): Bug => variantArtists({ show });
const photos = (change: (photo: string) => string, name?: string): Bug =>
  artists((one) => ({ ...one, photo: one.photo && (name ?? one.name) === one.name ? change(one.photo) : one.photo }));
const songs = (change: (list: NonNullable<Artist['songs']>) => readonly object[]): Bug =>
  artists((one) => ({ ...one, songs: one.songs && change(one.songs) }));
const checkedAt = (change: (instant: string) => string): Bug =>
  currentSignings({
    show: (one) => ({
      ...one,
      label_songs: one.label_songs.map((song) => ({ ...song, checked_at: song.checked_at && change(song.checked_at) })),
    }),
  });
const ofVariant =
  (change: (form: Form) => Partial<Form>): Bug =>
  (form) =>
    form.name === 'variant' ? { ...form, ...change(form) } : form;
const hourly = (limit: number): Bug =>
  ofVariant(({ allowances }) => ({
    allowances: (caller) => allowances(caller).map((one) => ({ ...one, limit: caller.key.perHour ?? limit })),
  }));
const refusing = (status: number): Bug =>
  ofVariant(({ problems }) => ({
    problems: { ...problems, 'insufficient-scope': { status, code: 'insufficient_scope' } },
  }));
const toHttp = (url: string): string => url.replace('https:', 'http:');
const withHttp = (one: Artist) => ({ ...one, photo: one.photo && toHttp(one.photo) });

/** Each second bug violates a row in the way that is known of the first one. */
const ladder: readonly (readonly [
  row: string,
  known: string,
  first: Bug,
  planted: string,
  second: Bug,
  news: string,
])[] = [
  [
    'artist.photo_url',
    'https becomes http',
    photos(toHttp),
    'the host is another one',
    photos(() => 'https://evil.example/photo'),
    'with another value',
  ],
  [
    'artist.photo_url',
    'https becomes http for one artist',
    photos(toHttp, 'Salt Meridian Choir'),
    'for every artist',
    photos(toHttp),
    'in another place',
  ],
  [
    'artist.photo_url',
    'https becomes http in artists without options',
    photos(toHttp),
    'also with fields=basic',
    variantArtists({ show: withHttp, showBasic: withHttp }),
    'in another case',
  ],
  [
    'artist.songs[].metrics.streams',
    'streams come from ugc_tiktok',
    songs((list) => list.map((song) => ({ ...song, streams: song.ugc_tiktok }))),
    'streams are one too many',
    songs((list) => list.map((song) => ({ ...song, streams: (song.streams ?? 0) + 1 }))),
    'with another value',
  ],
  [
    'artist.date_added',
    'a day late',
    artists((one) => ({ ...one, date_added: one.date_added && addDays(one.date_added, 1) })),
    'a year late',
    artists((one) => ({ ...one, date_added: one.date_added && addDays(one.date_added, 365) })),
    'with another value',
  ],
  [
    'artist.songs[].id',
    'songs backwards',
    songs((list) => list.toReversed()),
    'the first song last',
    songs((list) => [...list.slice(1), ...list.slice(0, 1)]),
    'with another value',
  ],
  [
    'spike.previous',
    'previous is current',
    variantSpikes({ show: (one) => ({ ...one, previous: one.current }) }),
    'previous is 0',
    variantSpikes({ show: (one) => ({ ...one, previous: 0 }) }),
    'with another value',
  ],
  [
    'signing.label_songs[].checked_at',
    'cut to its day (this form alone has it)',
    checkedAt((instant) => instant.slice(0, 10)),
    'always the same instant',
    checkedAt(() => '2026-01-01T00:00:00.000Z'),
    'with another value',
  ],
  ['header.X-RateLimit-Limit', '1000 an hour', hourly(1000), '100,000 an hour', hourly(100_000), 'with another value'],
  ['problem.insufficient-scope', '403 for 401', refusing(403), '404 for 401', refusing(404), 'with another value'],
];

/** Cases that show every first and second bug. */
const names: readonly string[] = [
  'artists',
  'artists-watch',
  'artists-with-basic-fields',
  'added',
  'spikes',
  'spikes-over-a-week',
  'signings',
  'signings-without-notes',
  'quota-by-default',
  'signings-scope-missing',
  'spikes-scope-missing',
];

describe('compare with a second bug in a row of its baseline', function () {
  this.timeout(20_000);
  let cases: readonly ComparisonCase[];
  const table = [['row', 'known', 'second bug', 'verdict']];
  before(async () => {
    cases = (await readCases(casesFolder)).filter(({ name }) => names.includes(name));
    expect(cases).to.have.lengthOf(names.length);
  });
  after(() => process.stdout.write(`${drawTable(table)}\n`));

  const run = async (forms: Bug) => buildRun([], await runWithFault(cases, { forms }));
  const terms = { today: '2026-08-22', isWhole: true };

  for (const [row, known, first, planted, second, news] of ladder) {
    it(`accepts ${row}, ${known}, and finds: ${planted}`, async () => {
      const ran = await run(first);
      const written = createBaseline(applyBaseline(ran, [], terms), { reason: 'Mended soon', until: '2026-12-31' });
      const baseline = baselineSchema.parse(JSON.parse(JSON.stringify(written)));
      expect(baseline.map((entry) => entry.row)).to.include(row);
      const again = await run(first);
      expect(createReport(again, applyBaseline(again, baseline, terms)).verdict.exitCode, 'known').to.equal(0);

      const mistaken = await run(second);
      const { verdict, known: left } = createReport(mistaken, applyBaseline(mistaken, baseline, terms));
      const told = left.failures.filter((text) => text.startsWith(`Known, but not like this: ${row}: `));
      expect(verdict).to.include({ kind: 'different', exitCode: 1 });
      expect(told.join('\n')).to.match(new RegExp(`\\d+ ${news}`));
      table.push([
        row,
        known,
        planted,
        `exit ${verdict.exitCode}; ${/[.…] (\d+ .*?)\. Accepted is/.exec(told[0] ?? '')?.[1]}`,
      ]);
    });
  }
});
