import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { causesOf } from '../../tools/compare/causes.ts';
import { artistCheck } from '../../tools/compare/checks/artists.ts';
import { violation } from '../../tools/compare/checks/lines.ts';
import { compareWithStored } from '../../tools/compare/checks/stored-lists.ts';
import { renderPage } from '../../tools/compare/reports/html.ts';
import { formatJunit } from '../../tools/compare/reports/junit.ts';
import { formatReportTexts } from '../../tools/compare/reports/terminal.ts';
import { createReport } from '../../tools/compare/verdict.ts';
import { byForm, comparedForms } from '../../tools/migration/mapping/forms.ts';
import { buildRun, clean } from '../support/compare/build-run.ts';
import { readNamed, runEmbedded, spikes } from '../support/compare/open-target.ts';
import {
  backwards,
  type Change,
  type DataSlip,
  gone,
  inList,
  slipping,
} from '../support/compare/slips.ts';

/** Runs cases over a gateway with slips. */
const runWith = async (slips: readonly DataSlip[], ...names: readonly string[]) =>
  runEmbedded(await readNamed(...names), { slip: (send) => slipping(send, ...slips) });

const withoutFirst = inList((list) => list.slice(1));
const inArtists = (form: 'current' | 'variant', at: string, change: Change): DataSlip => ({
  ...{ form, at, change },
  of: 'artists',
});

describe('causes of differences', () => {
  it('report a lost song once, and count what follows', async () => {
    const slip = inArtists('variant', 'songs', withoutFirst);
    const { cases } = await runWith([slip], 'artists', 'artists-limited', 'artist-in-detail');
    const [cause, ...others] = causesOf(cases);
    expect(cause).to.include({ row: 'artist.songs[].id', violation: 'The variant form lacks it.' });
    expect(cause?.consequences.length).to.be.at.least(5);
    expect(others).to.deep.equal([]);
  });

  it('keep errors in the same items apart', async () => {
    const slips = [
      inArtists('current', 'songs', backwards),
      inArtists('current', 'photo_url', gone),
      inArtists('current', 'country_code', () => 'XX'),
    ];
    const { cases } = await runWith(slips, 'artists', 'artist-in-detail');
    expect(causesOf(cases).map(({ row }) => row)).to.have.members([
      'artist.songs[].id',
      'artist.photo_url',
      'artist.country_code',
    ]);
  });

  it('keep two invariants of one answer apart', () => {
    const texts = ['A page is too long.', 'The list has two pages.'];
    const unexpected = texts.map((text) => ({ block: 'One', line: violation(text, text) }));
    const causes = causesOf([{ ...clean, unexpected }]);
    expect(causes.map((cause) => cause.violation)).to.deep.equal(texts);
  });

  it('show both places of a difference of order', async () => {
    const { cases } = await runWith([inArtists('variant', 'songs', backwards)], 'artists');
    const { left, right } = causesOf(cases)[0]?.found[0].line ?? {};
    expect([left?.path, right?.path]).to.deep.equal(['songs[1].id', 'songs[0].id']);
    expect(left?.value).to.match(/^sng_/).and.equal(right?.value);
  });

  it('show a cursor that no artist follows, and the artist before it', () => {
    const data = [{ id: 'art_1' }];
    const answer = {
      path: '/api/v1/artists?limit=1',
      ...{ replies: [], bodies: [{ data, meta: { next_cursor: 'further' } }], limit: 1 },
      ...{ items: data, truncated: false },
    };
    const facts = {
      ...{ conditions: new Set([]), documentIdOf: gone, partner: undefined, now: undefined },
      hasScope: byForm(() => () => true),
    };
    const whole = { artists: data, findLabel: undefined, spikes };
    const found = compareWithStored(artistCheck, whole, answer, facts)
      .flatMap(({ lines }) => lines)
      .flatMap(({ kind, unexpected, left }) =>
        unexpected ? [[kind, unexpected, left?.value]] : [],
      );
    expect(found).to.deep.equal([
      [
        'shortlist',
        'meta.next_cursor is sent, although no artist follows.',
        { next_cursor: 'further', after: 'art_1' },
      ],
    ]);
  });

  /** What each report shows of the first difference of such a kind. */
  const reportsOf = async (slips: readonly DataSlip[], violation: string, name: string) => {
    const result = buildRun([], await runWith(slips, name));
    const cases = result.cases.map((one) => ({
      ...one,
      unexpected: one.unexpected.filter(({ line }) => line.unexpected === violation),
    }));
    const report = createReport({ ...result, cases });
    return {
      terminal: formatReportTexts(report, new PassThrough()).before,
      junit: formatJunit(report).replaceAll('&#34;', '"'),
      page: renderPage(report).replaceAll('&quot;', '"'),
    };
  };

  for (const [of, members] of [
    ['artists', ['art_0dk5mb', '"date_added":"2026-08-22"', '"tier":"breaking"']],
    ['spikes', ['"metric":"', '"percent_change":', '"delta":', '"from":"2026']],
    ['signings', ['"artist_name":"', '"total_label_songs":', '"basis":[']],
  ] as const) {
    it(`show filters and sort keys of a missing item of ${of} in every report`, async () => {
      const slips = comparedForms.map((form) => ({ form, of, at: '', change: withoutFirst }));
      const reports = await reportsOf(slips, 'Only the stored data has it.', of);
      for (const [format, text] of Object.entries(reports))
        for (const member of members)
          expect(text.replaceAll('window.from', 'from'), format).to.include(member);
      expect(reports.terminal).to.match(/\n +current form {2}GET .*\n +–\n +stored\n +\{"/);
    });
  }

  it('show a surplus item of one form under the names of that form', async () => {
    const twice = inArtists(
      'variant',
      '',
      inList((list) => [...list, ...list.slice(0, 1)]),
    );
    const text = 'Only the variant form has it.';
    const { terminal } = await reportsOf([twice], text, 'added-within-a-month');
    expect(terminal)
      .to.match(/current form {2}GET .*\n +–\n.*variant form {2}GET .*\n +\{"id":"\w+","name":"/)
      .and.include('"signed_status":"');
  });

  it('name the artist, the stored value and the sent value', async () => {
    const at = 'label_songs[].checked_at';
    const slip = { form: 'current', of: 'signings', at, change: gone } as const;
    const result = buildRun([], await runWith([slip], 'signings'));
    const { before } = formatReportTexts(createReport(result), new PassThrough());
    expect(before)
      .to.match(
        /in signings, Shortlist, items\[\d\] \S.* \(art_\w+\): label_songs\[0\]\.checked_at is missing: stored is "2026-[^"]+"\.\n.*current form .*\n +–\n/,
      )
      .and.not.include('variant form  GET');
  });
});
