import { expect } from 'chai';
import { casesFolder } from '../../src/runtime/config.ts';
import { readCases } from '../../tools/compare/cases/cases.ts';
import { causesOf } from '../../tools/compare/causes.ts';
import { artistCheck } from '../../tools/compare/checks/artists.ts';
import { violation } from '../../tools/compare/checks/lines.ts';
import { compareWithStored } from '../../tools/compare/checks/stored-lists.ts';
import { renderPage } from '../../tools/compare/reports/html.ts';
import { formatJunit } from '../../tools/compare/reports/junit.ts';
import { formatReportTexts } from '../../tools/compare/reports/terminal.ts';
import { createReport } from '../../tools/compare/verdict.ts';
import { byForm } from '../../tools/migration/mapping/forms.ts';
import { buildRun, clean } from '../support/compare/build-run.ts';
import { runWithFault, spikes } from '../support/compare/catch-fault.ts';
import {
  backwards,
  currentArtists,
  currentSignings,
  type Fault,
  gone,
  listing,
  show,
  showHistory,
  variantArtists,
} from '../support/compare/faulty.ts';

/** Runs every case over a gateway with a fault, each for one artist. */
const runWith = async (fault: Parameters<typeof runWithFault>[1]) => {
  const cases = await readCases(casesFolder);
  return runWithFault(
    cases.map((one) => (one.each === undefined ? one : { ...one, each: 1 })),
    fault,
  );
};

const everywhere = (path: string, change: (value: readonly unknown[]) => unknown) =>
  currentArtists({ ...show(path, change), ...showHistory(path, change) });
const inVariant = (path: string, change: (value: readonly unknown[]) => unknown) =>
  variantArtists(show(path, change));

describe('causes of differences', () => {
  it('tell a song that is lost once, and count what follows', async () => {
    const [cause, ...others] = causesOf(
      (await runWith({ forms: inVariant('songs', (songs) => songs.slice(1)) })).cases,
    );
    expect([cause?.row, cause?.violation]).to.deep.equal([
      'artist.songs[].id',
      'The variant form lacks it.',
    ]);
    expect(cause?.consequences.length).to.be.at.least(5);
    expect(others).to.deep.equal([]);
  });

  it('keep two errors apart that show in the same items', async () => {
    const forms: Fault['forms'] = (form) =>
      [
        everywhere('songs', backwards),
        everywhere('photo_url', gone),
        everywhere('country_code', () => 'XX'),
      ].reduce((changed, change) => change(changed), form);
    const causes = causesOf((await runWith({ forms })).cases);
    expect(causes.map(({ row }) => row)).to.have.members([
      'artist.songs[].id',
      'artist.photo_url',
      'artist.country_code',
    ]);
  });

  it('keep two invariants of one answer apart, which have no values that could be swapped', () => {
    const [one, other] = ['A page is too long.', 'The list has two pages.'];
    const unexpected = [one, other].map((text) => ({
      block: 'By itself',
      line: violation(text ?? '', text ?? ''),
    }));
    const causes = causesOf([{ ...clean, unexpected }]);
    expect(causes.map((cause) => cause.violation)).to.deep.equal([one, other]);
  });

  it('show what is at both places of a difference of order', async () => {
    const [cause] = causesOf((await runWith({ forms: inVariant('songs', backwards) })).cases);
    const { left, right } = cause?.found[0].line ?? {};
    expect([left?.path, right?.path]).to.deep.equal(['songs[1].id', 'songs[0].id']);
    expect(left?.value).to.match(/^sng_/).and.equal(right?.value);
  });

  it('show a cursor that no artist follows, and the artist before it', async () => {
    const only = { id: 'art_1' };
    const body = { data: [only], meta: { next_cursor: 'further' } };
    const answer = {
      path: '/api/v1/artists?limit=1',
      replies: [],
      bodies: [body],
      limit: 1,
      items: [],
      truncated: false,
    };
    const facts = {
      conditions: new Set([]),
      hasScope: byForm(() => () => true),
      documentIdOf: gone,
      partner: undefined,
      now: undefined,
    };
    const whole = { artists: [only], findLabel: undefined, spikes };
    const [line] = compareWithStored(artistCheck, whole, answer, facts).at(-1)?.lines ?? [];
    expect(line?.unexpected).to.equal('meta.next_cursor is sent, although no artist follows.');
    expect(line?.left?.value).to.deep.equal({ next_cursor: 'further', after: 'art_1' });
  });

  it('name an artist that is not stored once', async () => {
    const [path, items] = ['/api/v1/artists', [{ id: 'art_1', name: 'A', tier: 'watch' }]];
    const answer = {
      path,
      replies: [],
      bodies: [{ data: items }],
      limit: 1,
      items,
      truncated: false,
    };
    const facts = {
      ...{ conditions: new Set([]), documentIdOf: gone, partner: undefined, now: undefined },
      hasScope: byForm(() => () => true),
    };
    const whole = { artists: [], findLabel: undefined, spikes };
    const blocks = compareWithStored(artistCheck, whole, answer, facts);
    expect(blocks.flatMap(({ lines }) => lines.map(({ unexpected }) => unexpected))).to.deep.equal([
      'Only the current form has it.',
    ]);
  });

  /** What each report shows of the first difference of such a kind. */
  const reportsOf = async (fault: Parameters<typeof runWithFault>[1], violation: string) => {
    const cases = (await readCases(casesFolder)).filter(({ name }) =>
      ['artists', 'added-within-a-month', 'spikes', 'signings'].includes(name),
    );
    const result = buildRun([], await runWithFault(cases, fault));
    const only = ({ line }: { readonly line: { readonly unexpected?: string | undefined } }) =>
      line.unexpected === violation;
    const report = createReport({
      ...result,
      cases: result.cases.map((one) => ({ ...one, unexpected: one.unexpected.filter(only) })),
    });
    const options = { colours: false };
    return {
      terminal: formatReportTexts(report, options).before,
      junit: formatJunit(report).replaceAll('&#34;', '"'),
      page: renderPage(report).replaceAll('&quot;', '"'),
    };
  };

  const lists = {
    artists: ['art_0dk5mb', '"date_added":"2026-08-22"', '"tier":"breaking"'],
    spikes: ['"metric":"', '"percent_change":', '"delta":', '"from":"2026'],
    signings: ['"artist_name":"', '"total_label_songs":', '"basis":['],
  } as const;

  const withoutFirst: Readonly<Record<keyof typeof lists, NonNullable<Fault['catalogue']>>> = {
    artists: listing((artists) => artists.slice(1)),
    spikes: (catalogue) => ({
      ...catalogue,
      async spikes(question, viewer) {
        const answer = await catalogue.spikes(question, viewer);
        return { ...answer, spikes: Object.assign(answer.spikes.slice(1), { identity: '' }) };
      },
    }),
    signings: (catalogue) => ({
      ...catalogue,
      signings(viewer) {
        const answer = catalogue.signings(viewer);
        return { ...answer, signings: answer.signings.slice(1) };
      },
    }),
  };

  for (const [name, members] of Object.entries(lists)) {
    it(`show a missing item of ${name} with what its questions filter and order by, in every report`, async () => {
      const catalogue = withoutFirst[name as keyof typeof lists]; // its keys
      const reports = await reportsOf({ catalogue }, 'Only the stored data has it.');
      for (const [format, text] of Object.entries(reports))
        for (const member of members)
          expect(text.replaceAll('window.from', 'from'), format).to.include(member);
      expect(reports.terminal).to.match(/\n +current form {2}GET .*\n +–\n +stored\n +\{"/);
    });
  }

  it('show a surplus item of one form under the names of that form', async () => {
    const forms = variantArtists({
      catalogue: listing((artists) => [...artists, ...artists.slice(0, 1)]),
    });
    const { terminal } = await reportsOf({ forms }, 'Only the variant form has it.');
    expect(terminal)
      .to.match(/current form {2}GET .*\n +–\n.*variant form {2}GET .*\n +\{"id":"\w+","name":"/)
      .and.include('"signed_status":"');
  });

  it('name the artist, the stored value and the sent one of a difference from what is stored', async () => {
    const forms = currentSignings(show('label_songs[].checked_at', gone));
    const result = buildRun([], await runWith({ forms }));
    const { before } = formatReportTexts(createReport(result), { colours: false });
    expect(before).to.include(
      'signing.label_songs[].checked_at: label_songs[].checked_at is missing: stored is ….',
    );
    expect(before).to.match(
      /in signings, By itself, items\[\d\] \S.* \(art_\w+\): label_songs\[0\]\.checked_at is missing: stored is "2026-[^"]+"\.\n.*current form .*\n +–\n/,
    );
    expect(before)
      .to.include('current form  GET /api/v1/signings')
      .and.not.include('variant form  GET');
  });
});
