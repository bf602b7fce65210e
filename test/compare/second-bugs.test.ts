import { expect } from 'chai';
import type { Form } from '../../adapters/forms/form.ts';
import type * as wire from '../../adapters/forms/variant/wire.ts';
import { addDays, type Day } from '../../src/domain/day.ts';
import { casesFolder } from '../../src/runtime/config.ts';
import { applyBaseline, baselineSchema, createBaseline } from '../../tools/compare/baseline.ts';
import { type ComparisonCase, readCases } from '../../tools/compare/cases/cases.ts';
import { createReport } from '../../tools/compare/verdict.ts';
import { buildRun } from '../support/compare/build-run.ts';
import { runWithFault } from '../support/compare/catch-fault.ts';
import {
  at,
  currentSignings,
  ofForm,
  show,
  variantArtists,
  variantSpikes,
} from '../support/compare/faulty.ts';

type Bug = (form: Form) => Form;
type Song = NonNullable<wire.ArtistWire['songs']>[number];

const toHttp = (url: string): string => url.replace('https:', 'http:');
const photos = (change: (url: string) => string): Bug => variantArtists(show('photo', change));
const httpForOne: Bug = variantArtists({
  show: (one) => (one.name === 'Salt Meridian Choir' ? at('photo', toHttp)(one) : one),
});
const dayLate = (days: number): Bug =>
  variantArtists(show('date_added', (day: Day) => addDays(day, days)));
const streams = (change: (song: Song) => unknown): Bug =>
  variantArtists(show('songs[]', (song: Song) => ({ ...song, streams: change(song) })));
const songs = (change: (list: readonly object[]) => readonly object[]): Bug =>
  variantArtists(show('songs', change));
const checkedAt = (change: (instant: string) => string): Bug =>
  currentSignings(show('label_songs[].checked_at', change));
const hourly = (limit: number): Bug =>
  ofForm('variant', ({ allowances }) => ({
    allowances: (caller) =>
      allowances(caller).map((one) => ({ ...one, limit: caller.key.perHour ?? limit })),
  }));
const refusing = (status: number): Bug =>
  ofForm('variant', ({ problems }) => ({
    problems: { ...problems, 'insufficient-scope': { status, code: 'insufficient_scope' } },
  }));

interface Rung {
  readonly row: string;
  /** What is known, and its bug. */
  readonly known: readonly [string, Bug];
  /** What is planted beside or instead of it. */
  readonly planted: readonly [string, Bug];
  readonly news: 'with another value' | 'in another place' | 'in another case';
}

const rung = (
  row: string,
  known: Rung['known'],
  planted: Rung['planted'],
  news: Rung['news'] = 'with another value',
) => ({ row, known, planted, news }) satisfies Rung;

/** Each second bug violates a row in the way that is known of the first one. */
const ladder: readonly Rung[] = [
  rung(
    'artist.photo_url',
    ['https becomes http', photos(toHttp)],
    ['the host is another one', photos(() => 'https://evil.example/photo')],
  ),
  rung(
    'artist.photo_url',
    ['https becomes http for one artist', httpForOne],
    ['for every artist', photos(toHttp)],
    'in another place',
  ),
  rung(
    'artist.photo_url',
    ['https becomes http in artists without options', photos(toHttp)],
    [
      'also with fields=basic',
      variantArtists({ show: at('photo', toHttp), showBasic: at('photo', toHttp) }),
    ],
    'in another case',
  ),
  rung(
    'artist.songs[].metrics.streams',
    ['streams come from ugc_tiktok', streams((song) => song.ugc_tiktok)],
    ['streams are one too many', streams((song) => (song.streams ?? 0) + 1)],
  ),
  rung('artist.date_added', ['a day late', dayLate(1)], ['a year late', dayLate(365)]),
  rung(
    'artist.songs[].id',
    ['songs backwards', songs((list) => list.toReversed())],
    ['the first song last', songs((list) => [...list.slice(1), ...list.slice(0, 1)])],
    'in another place',
  ),
  rung(
    'spike.previous',
    ['previous is current', variantSpikes({ show: (one) => ({ ...one, previous: one.current }) })],
    ['previous is 0', variantSpikes(show('previous', () => 0))],
  ),
  rung(
    'signing.label_songs[].checked_at',
    ['cut to its day (this form alone has it)', checkedAt((instant) => instant.slice(0, 10))],
    ['always the same instant', checkedAt(() => '2026-01-01T00:00:00.000Z')],
  ),
  rung(
    'header.X-RateLimit-Limit',
    ['1000 an hour', hourly(1000)],
    ['100,000 an hour', hourly(100_000)],
  ),
  rung(
    'problem.insufficient-scope',
    ['403 for 401', refusing(403)],
    ['404 for 401', refusing(404)],
  ),
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

describe('compare with a second bug in a row of its baseline', () => {
  let cases: readonly ComparisonCase[];
  before(async () => {
    cases = (await readCases(casesFolder)).filter(({ name }) => names.includes(name));
    expect(cases).to.have.lengthOf(names.length);
  });

  const run = async (forms: Bug) => buildRun([], await runWithFault(cases, { forms }));
  const terms = { today: '2026-08-22', isWhole: true };

  for (const {
    row,
    known: [known, first],
    planted: [planted, second],
    news,
  } of ladder) {
    it(`accepts ${row}, ${known}, and finds: ${planted}`, async () => {
      const ran = await run(first);
      const written = createBaseline(applyBaseline(ran, [], terms), {
        reason: 'Mended soon',
        until: '2026-12-31',
      });
      const baseline = baselineSchema.parse(JSON.parse(JSON.stringify(written)));
      expect(baseline.map((entry) => entry.row)).to.include(row);
      const again = await run(first);
      expect(
        createReport(again, applyBaseline(again, baseline, terms)).verdict.exitCode,
        'known',
      ).to.equal(0);

      const mistaken = await run(second);
      const { verdict, known: left } = createReport(
        mistaken,
        applyBaseline(mistaken, baseline, terms),
      );
      const told = left.failures.filter((text) =>
        text.startsWith(`Known, but not like this: ${row}: `),
      );
      expect(verdict).to.include({ kind: 'different', exitCode: 1 });
      expect(told.join('\n')).to.match(new RegExp(`\\d+ ${news}`));
    });
  }
});
