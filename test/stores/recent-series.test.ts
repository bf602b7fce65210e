import { expect } from 'chai';
import { BSON, type Db } from 'mongodb';
import { readRecent } from '../../adapters/stores/mongodb/recent-series.ts';
import { addDays } from '../../src/domain/day.ts';
import type { StoredDocument } from '../support/documents.ts';

const first = '2026-07-01';
type Flags = Readonly<Record<string, boolean>>;

/** Daily points, the last ones with a flag. */
const daily = (count: number, flagged: number, flags: Flags): StoredDocument[] =>
  Array.from({ length: count }, (_, day) => ({
    date: addDays(first, day),
    value: day,
    ...(day >= count - flagged && flags),
  }));

/** A collection as MongoDB serves it, with `$slice`. */
const databaseOf = (documents: readonly StoredDocument[]) => {
  const reads: string[] = [];
  const find = (
    { artist_id: { $in: ids } }: { artist_id: { $in: readonly unknown[] } },
    { projection }: { projection?: { points: { $slice: number } } },
  ) => {
    reads.push(`${ids.length} ${projection === undefined ? 'whole' : 'sliced'}`);
    const found = documents.filter(({ artist_id }) => ids.includes(artist_id));
    const left = found.map(({ points, ...document }) => {
      const all = points as readonly unknown[]; // as they were made above
      return { ...document, points: projection ? all.slice(projection.points.$slice) : all };
    });
    return {
      hasNext: async () => left.length > 0,
      readBufferedDocuments: (count: number) =>
        left.splice(0, count).map((one) => BSON.serialize(one)),
      close: async () => {},
    };
  };
  // all that a read of series uses
  return { db: { collection: () => ({ find }) } as unknown as Db, reads };
};

const recentOf = async (documents: readonly StoredDocument[]) => {
  const { db, reads } = databaseOf(documents);
  const ids = [...new Set(documents.map(({ artist_id }) => String(artist_id)))];
  const recent = await readRecent(db, ids, (days) => days);
  return {
    reads,
    daysOf: (id: string) => recent.get(id)?.series.map(({ days }) => days) ?? [],
  };
};

describe('the recent points that a gateway reads of a series in MongoDB', () => {
  const series = (artist_id: string, points: readonly StoredDocument[]): StoredDocument => ({
    _id: artist_id,
    artist_id,
    metric: 'monthly_listeners',
    points,
  });
  const lastDays = (newest: string) =>
    Array.from({ length: 36 }, (_, day) => addDays(newest, day - 35));

  const cases: readonly (readonly [
    what: string,
    points: readonly StoredDocument[],
    newest: string,
    reads: readonly string[],
  ])[] = [
    ['a daily series', daily(90, 0, {}), addDays(first, 89), ['1 sliced']],
    [
      'one whose last days are estimates',
      daily(90, 9, { estimated: true }),
      addDays(first, 80),
      ['1 sliced'],
    ],
    [
      'one that ends with a forecast of two months',
      daily(150, 60, { estimated: true }),
      addDays(first, 89),
      ['1 sliced', '1 whole'],
    ],
    [
      'one that repeats its last number for 50 days',
      daily(140, 50, { stale: true }),
      addDays(first, 89),
      ['1 sliced', '1 whole'],
    ],
    [
      'one with one estimate in the far future',
      [...daily(90, 0, {}), { date: '2062-01-01', value: 1, estimated: true }],
      addDays(first, 89),
      ['1 sliced'],
    ],
  ];
  for (const [what, points, newest, reads] of cases)
    it(`are the 35 days up to its newest trusted point: ${what}`, async () => {
      const found = await recentOf([series('a', points)]);
      expect(found.daysOf('a')).to.deep.equal([lastDays(newest)]);
      expect(found.reads).to.deep.equal(reads);
    });

  it('are none of a series that has no trusted point, and those of others are read once', async () => {
    const { daysOf, reads } = await recentOf([
      series('a', daily(90, 90, { terminal: true })),
      series('b', daily(90, 0, {})),
      series('c', daily(20, 0, {})),
    ]);
    expect(reads).to.deep.equal(['3 sliced', '1 whole']);
    expect(daysOf('a')).to.deep.equal([[]]);
    expect(daysOf('b')).to.deep.equal([lastDays(addDays(first, 89))]);
    expect(daysOf('c')[0]).to.have.length(20);
  });
});
