import { expect } from 'chai';
import fc from 'fast-check';
import { elementLines } from '../../adapters/stores/import/array-element-lines.ts';
import { gapsIn } from '../../adapters/stores/import/gaps.ts';
import { createStatistics } from '../../adapters/stores/import/statistics.ts';
import { toStored } from '../../adapters/stores/import/stored-document.ts';
import { buildArtist, buildPoint, buildSeries, buildSong } from '../support/builders.ts';

describe('the lines on which elements of a JSON array begin', () => {
  it('are those on which they begin, whatever they are', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { maxLength: 8 }), fc.integer({ min: 1, max: 3 }), (values, indent) => {
        const text = JSON.stringify(values, null, indent);
        let line = 2; // after the opening bracket
        const expected = values.map((value) => {
          const begins = line;
          line += JSON.stringify(value, null, indent).split('\n').length;
          return begins;
        });
        expect(elementLines(text)).to.deep.equal(expected);
      }),
    );
  });

  it('are found where several stand on one line', () => {
    expect(elementLines('[{"a": "]\\"\\n"}, [1,\n2], 3,\n\n 4 ]\n')).to.deep.equal([1, 1, 2, 4]);
    expect(elementLines(' [ ] ')).to.deep.equal([]);
  });
});

describe('a document of a file', () => {
  it('is stored with instants as dates and everything else as it was', () => {
    const document = {
      updated_at: '2026-08-22T10:00:00+02:00',
      date_added: '2026-08-22',
      freshness: { metrics: '2026-08-22T00:00:00Z' },
      songs: [{ added_at: '2026-01-26' }, { added_at: '2026-01-26T00:00:00Z', note: null }],
      crm: { called_at: 'tomorrow' },
    };
    expect(toStored(document)).to.deep.equal({
      ...document,
      updated_at: new Date('2026-08-22T08:00:00Z'),
      songs: [{ added_at: '2026-01-26' }, { added_at: new Date('2026-01-26T00:00:00Z'), note: null }],
    });
  });
});

describe('statistics', () => {
  const points = ['2026-08-01', '2026-08-02', '2026-08-06', '2026-08-07', '2026-08-09'].map((date) =>
    buildPoint(date, 1),
  );

  it('know the gaps of a series', () => {
    const found = gapsIn(buildSeries({ points }));
    expect(found.map(({ from, to, days }) => `${from} ${to} ${days}`)).to.deep.equal([
      '2026-08-02 2026-08-06 3',
      '2026-08-07 2026-08-09 1',
    ]);
  });

  it('count what comes by, and what it leaves out', () => {
    const statistics = createStatistics();
    statistics.addArtist(buildArtist({ tier: 'watch', dateAdded: '2026-08-01', songs: [buildSong()] }));
    statistics.addArtist(buildArtist({ genres: [] }));
    statistics.addSeries(buildSeries({ points }));
    const { artists, songs, tiers, added, history, gaps, missing } = statistics.result();
    expect({ artists, songs, tiers }).to.deep.equal({ artists: 2, songs: 1, tiers: { watch: 1, unknown: 1 } });
    expect(added).to.deep.equal({ oldest: '2026-08-01', newest: '2026-08-01' });
    expect(history).to.deep.equal({ oldest: '2026-08-01', newest: '2026-08-09' });
    expect(gaps).to.include({ series: 1, days: 4 });
    expect(missing).to.deep.include({ member: 'genres', missing: 1, of: 2, percent: 50 });
    expect(missing).to.deep.include({ member: 'songs.rights.p_line', missing: 1, of: 1, percent: 100 });
  });
});
