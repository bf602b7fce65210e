import { expect } from 'chai';
import fc from 'fast-check';
import {
  isMetricOfIts,
  parseLabel,
  parseSeries,
  toHistory,
} from '../../adapters/stores/documents/catalogue-documents.ts';
import { buildSeries } from '../support/builders.ts';
import {
  itRefuses,
  memberRefused,
  missing,
  modelOf,
  notDays,
  notNumbers,
  notTexts,
  seriesDocument,
  withMember,
} from '../support/stores/stored-documents.ts';

const pointsOf = (...days: readonly string[]) => days.map((date) => ({ date, value: 1 }));

describe('parseSeries', () => {
  it('reads every member; flags of a point are false unless they are set', () => {
    expect(modelOf(parseSeries(seriesDocument))).to.deep.equal({
      artistId: 'art_1',
      songId: undefined,
      metric: 'monthly_listeners',
      points: [
        { date: '2026-08-20', value: 5, estimated: false, stale: false, terminal: false },
        { date: '2026-08-21', value: 6.5, estimated: true, stale: false, terminal: true },
      ],
    });
  });

  itRefuses(parseSeries, seriesDocument, [
    ['artist_id', [missing, null, ...notTexts]],
    ['song_id', notTexts],
    ['metric', [missing, null, 'plays', '', 'streams']],
    [
      'points',
      [
        missing,
        null,
        {},
        'none',
        pointsOf('2026-08-20', '2026-08-20'),
        pointsOf('2026-08-21', '2026-08-20'),
      ],
    ],
  ]);

  for (const [path, values] of [
    ['points.0.date', [missing, null, ...notDays]],
    ['points.1.value', [missing, null, ...notNumbers]],
    ['points.1.stale', ['yes', 1]],
  ] as const) {
    it(`leaves out the point with a bad ${path} and names it`, () => {
      const [, index = ''] = path.split('.');
      for (const value of values) {
        const parsed = parseSeries(withMember(seriesDocument, path, value));
        expect('leftOut' in parsed && parsed.leftOut?.map((issue) => issue.path)).to.deep.equal([
          path,
        ]);
        expect(modelOf(parsed).points.map(({ date }) => date)).to.deep.equal([
          seriesDocument.points[1 - Number(index)]?.date,
        ]);
      }
    });
  }

  it('refuses a metric of a song without `song_id`, and a metric of an artist with it', () => {
    const ofSong = { ...seriesDocument, song_id: 'sng_1' };
    expect(memberRefused(parseSeries(ofSong))).to.equal('metric');
    expect(modelOf(parseSeries({ ...ofSong, metric: 'streams' }))).to.include({
      songId: 'sng_1',
      metric: 'streams',
    });
    expect(modelOf(parseSeries({ ...seriesDocument, song_id: null }))).to.include({
      songId: undefined,
    });
    expect(isMetricOfIts(null, 'monthly_listeners'), 'as an import asks it').to.equal(true);
  });

  it('makes the same history for every stored order of the series', () => {
    const series = [
      buildSeries({ metric: 'monthly_listeners' }),
      buildSeries({ metric: 'social_score' }),
      buildSeries({ songId: 'a', metric: 'streams' }),
      buildSeries({ songId: 'a', metric: 'ugc_tiktok' }),
      buildSeries({ songId: 'b', metric: 'streams' }),
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray(series, { minLength: series.length }), (shuffled) => {
        expect(toHistory(shuffled, true).series).to.deep.equal(series);
      }),
    );
  });
});

describe('parseLabel', () => {
  it('reads name and aliases only', () => {
    expect(
      modelOf(parseLabel({ _id: 1, name: 'Warner', aliases: ['WMG'], owner: 'x' })),
    ).to.deep.equal({
      name: 'Warner',
      aliases: ['WMG'],
    });
  });

  itRefuses(parseLabel, { name: 'Warner', aliases: ['WMG'] }, [
    ['name', [missing, '']],
    ['aliases', [missing, 'WMG']],
    ['aliases.0', [7]],
  ]);
});
