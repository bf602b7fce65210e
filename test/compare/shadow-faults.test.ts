import { expect } from 'chai';
import type { JudgeThread } from '../../adapters/compare/shadow/judge-thread.ts';
import { currentPresenterFaults } from '../support/compare/faults-current-presenters.ts';
import { signalFaults } from '../support/compare/faults-signals.ts';
import { variantPresenterFaults } from '../support/compare/faults-variant-presenters.ts';
import type { Fault } from '../support/compare/faulty.ts';
import { createBuiltThread, createShadowGateway, shadowRequests } from '../support/compare/shadow-gateway.ts';

/** The row that each fault of a presenter violates, as the metrics must name it; `none` for a member that has no row. */
const rowOf: Readonly<Record<string, string>> = {
  'photo is left out': 'artist.photo_url',
  'streams come from ugc_tiktok': 'artist.songs[].metrics.streams',
  'ugc_tiktok and ugc_instagram are swapped': 'artist.songs[].metrics.ugc_tiktok',
  'a status without a review reads unsigned': 'artist.signing.status',
  'total_songs counts songs with streams only': 'artist.total_songs',
  'id is the stable one': 'artist.id',
  'date_added is a day late': 'artist.date_added',
  'scouting_report is the first highlight': 'artist.editorial.scouting_report',
  'numbers are rounded': 'artist.metrics.*',
  'https becomes http in links': 'artist.links.*',
  'unknown is null': 'artist.photo_url',
  'fields=basic keeps the songs': 'artist.songs[].id',
  'fields=basic drops total_songs': 'artist.total_songs',
  'a zero is taken for unknown': 'artist.metrics.*',
  'count is one too many': 'envelope.meta.count',
  'success is left out': 'envelope.success',
  'timestamp has no milliseconds': 'envelope.meta.generated_at',
  'photo_url is left out': 'artist.photo_url',
  'country_code is left out': 'artist.country_code',
  'a flag of status is dropped': 'artist.status.*',
  'preview_url and source_url are swapped': 'artist.songs[].preview_url',
  'an internal number is shown': 'none',
  'an internal member is shown': 'none',
  'added_at of songs is cut to its day': 'artist.songs[].added_at',
  'the flag stale of a point is dropped': 'artist.history.*[].stale',
  'the days of points are one too early': 'artist.history.*[].date',
  'the history of songs is left out': 'artist.songs[].history.*[].date',
  'next_cursor is left out where there is none': 'envelope.meta.next_cursor',
  'the request id is another one than the header says': 'header.X-Request-Id',
  'previous and current are swapped': 'spike.previous',
  'percent_change is computed again, with one decimal': 'spike.percent_change',
  'period_days of the items is always 3': 'spike.window.days',
  'tiktok is left out': 'spike.links.tiktok',
  'window.from is a day late': 'spike.window.from',
  'pline is the label that was detected': 'signing.label_songs[].p_line',
  'label_songs are in reverse order': 'signing.label_songs[].song_name',
  'total_label_songs is left at 1': 'signing.total_label_songs',
  'labels_tracked come as they are stored': 'envelope._meta.labels_tracked[]',
  'basis forgets the reviewed status': 'signing.basis[]',
  'the engine is not named': 'spike.engine.name',
};

describe('shadow comparison of a gateway with a fault in a presenter', function () {
  this.timeout(20_000);
  let thread: JudgeThread;
  before(() => {
    thread = createBuiltThread();
  });
  after(() => thread.close());

  /** The numbers of differing answers by row, after all requests were answered and compared. */
  const compareAll = async (change: NonNullable<Fault['forms']> = (form) => form) => {
    const shadowed = await createShadowGateway({ thread, change });
    for (const [form, path] of shadowRequests) expect(await shadowed.get(form, path), path).to.equal(200);
    await shadowed.settled();
    const [rows, verdicts] = [await shadowed.rows(), await shadowed.verdicts()];
    await shadowed.gateway.close();
    return { rows, verdicts };
  };

  it('reports nothing without a fault', async () => {
    const { rows, verdicts } = await compareAll();
    expect(rows).to.deep.equal({});
    expect(verdicts).to.deep.include({ same: shadowRequests.length, different: 0, skipped: 0, dropped: 0, failed: 0 });
  });

  for (const { name, forms } of [...variantPresenterFaults, ...currentPresenterFaults, ...signalFaults]) {
    it(`reports ${rowOf[name]}: ${name}`, async () => {
      const { rows, verdicts } = await compareAll(forms);
      expect(rows).to.include.keys(rowOf[name] ?? '');
      expect(verdicts.failed).to.equal(0);
    });
  }
});
