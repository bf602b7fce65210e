import { expect } from 'chai';
import fc from 'fast-check';
import { BSON, Decimal128, type Document, Double, Int32, Long } from 'mongodb';
import { createPointsReader } from '../../adapters/stores/documents/point-bytes.ts';
import { readBson } from '../../adapters/stores/mongodb/batches.ts';
import { addSeries, readSeriesDocument, type StoredSeries } from '../../adapters/stores/mongodb/recent-series.ts';

const readPoints = createPointsReader();

const judged = (document: Document, points?: StoredSeries['series'][number]['points']): StoredSeries => {
  const stored: StoredSeries = { series: [], unreadable: [], faults: [] };
  addSeries(stored, { document, points });
  return stored;
};

const readFromBytes = (bytes: Uint8Array): StoredSeries => {
  const { document, points } = readSeriesDocument(bytes, readPoints);
  return judged(document, points);
};

const oneOf = <Value>(...values: Value[]) => fc.constantFrom(...values);

/** Days that ascend in most lists, and texts that are no days. */
const date = fc.oneof(
  { weight: 20, arbitrary: fc.date({ noInvalidDate: true }).map((day) => day.toISOString().slice(0, 10)) },
  oneOf(
    '2024-02-29',
    '2026-02-29',
    '2026-02-30',
    '2026-13-01',
    '0000-01-01',
    '9999-12-31',
    '2026-1-01',
    '2026/01/01',
    '',
  ),
  oneOf<unknown>(null, 20260101, new Date(0), true, ['2026-01-01'], '２026-01-01'),
);
const value = fc.oneof(
  { weight: 20, arbitrary: fc.integer() },
  { weight: 20, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true, min: -(2 ** 54), max: 2 ** 54 }) },
  oneOf<unknown>(2 ** 53, -(2 ** 53), 2 ** 53 + 2, Number.NaN, Number.POSITIVE_INFINITY, -0, null, '1', true),
  oneOf<unknown>(new Int32(7), new Double(7), Long.fromNumber(7), Decimal128.fromString('7'), {}, []),
);
const flag = fc.oneof({ weight: 20, arbitrary: fc.boolean() }, oneOf<unknown>(null, 0, 'true', {}));
const point = fc.record(
  { date, value, estimated: flag, stale: flag, terminal: flag, note: oneOf<unknown>('x', 1, null) },
  { requiredKeys: [] },
);
const goodPoint = fc.record(
  { date: oneOf('2026-08-01'), value: fc.integer(), estimated: fc.boolean(), terminal: oneOf(true, null) },
  { requiredKeys: ['date', 'value'] },
);

const inOrder = (points: readonly Document[]): Document[] =>
  points.map((one, index) => ({ ...one, date: new Date(index * 86_400_000).toISOString().slice(0, 10) }));

const series = fc.record(
  {
    _id: oneOf<unknown>('series', 7),
    artist_id: oneOf<unknown>('art_a', '', 7, null),
    song_id: oneOf<unknown>('sng_a', null, 7),
    points: fc.oneof(
      { weight: 3, arbitrary: fc.array(goodPoint, { maxLength: 20 }).map(inOrder) },
      fc.array(point, { maxLength: 5 }),
      fc.array(fc.oneof(point, oneOf<unknown>(null, 1, [], 'x')), { maxLength: 5 }),
      oneOf<unknown>(null, {}, 'points', 7),
    ),
    metric: oneOf<unknown>('monthly_listeners', 'streams', 'unknown', 7),
  },
  { requiredKeys: ['artist_id', 'metric'] },
);

describe('points read from bytes', () => {
  it('are those that the schema returns, with the same faults, whatever is stored', () => {
    let read = 0;
    fc.assert(
      fc.property(series, (document) => {
        const bytes = BSON.serialize(document);
        if (readSeriesDocument(bytes, readPoints).points !== undefined) read += 1;
        expect(readFromBytes(bytes)).to.deep.equal(judged(readBson(bytes)));
      }),
      { numRuns: 1_500 },
    );
    expect(read).to.be.greaterThan(200);
  });

  it('are left to the schema when any byte of them is not as expected', () => {
    const points = inOrder([{ value: 1 }, { value: 1.5, estimated: true }, { value: 3, stale: null }]);
    const bytes = BSON.serialize({ artist_id: 'art_a', metric: 'monthly_listeners', points });
    const first = Buffer.from(bytes).indexOf('points') - 1;
    fc.assert(
      fc.property(
        fc.integer({ min: first + 12, max: bytes.length - 3 }),
        fc.integer({ min: 0, max: 255 }),
        (at, byte) => {
          const broken = Uint8Array.from(bytes);
          broken[at] = byte;
          expect(readFromBytes(broken)).to.deep.equal(judged(readBson(broken)));
        },
      ),
      { numRuns: 1_500 },
    );
  });

  it('are not taken from one of two members of the same name', () => {
    const once = BSON.serialize({ points: [] });
    const twice = Buffer.concat([once.subarray(0, -1), once.subarray(4)]);
    twice.writeInt32LE(twice.length);
    expect(readSeriesDocument(twice, readPoints).points).to.equal(undefined);
  });
});
