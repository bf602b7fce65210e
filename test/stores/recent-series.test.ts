import { expect } from 'chai';
import { BSON, type Db } from 'mongodb';
import { createMongoCatalogue } from '../../adapters/stores/mongodb/catalogue.ts';
import { readRecent } from '../../adapters/stores/mongodb/recent-series.ts';
import { addDays } from '../../src/domain/day.ts';
import type { StoredDocument } from '../support/documents.ts';
import { artistDocument } from '../support/stores/stored-documents.ts';
import { rejectionOf } from '../support/wait.ts';

const first = '2026-07-01';

/** Daily points; the last ones have a flag. */
const daily = (count: number, flagged = 0, flag = 'estimated'): StoredDocument[] =>
  Array.from({ length: count }, (_, day) => ({
    date: addDays(first, day),
    value: day,
    ...(day >= count - flagged && { [flag]: true }),
  }));

interface Filter {
  readonly [member: string]: { readonly $in?: readonly unknown[] } | null;
}
interface Options {
  readonly projection?: { readonly points?: { readonly $slice: number } };
}

/** A MongoDB with these collections, of which each read is reported first. */
const openDb = (
  collections: Readonly<Record<string, readonly StoredDocument[]>>,
  onRead: (read: string) => void,
): Db => {
  const find = (name: string, filter: Filter, { projection }: Options = {}) => {
    const [member = '', within] = Object.entries(filter).find(([, value]) => value !== null) ?? [];
    const ids = within?.$in;
    const slice = projection?.points?.$slice;
    onRead(`${name} ${ids?.length ?? 'all'} ${slice === undefined ? 'whole' : 'sliced'}`);
    const left = (collections[name] ?? [])
      .filter((document) => ids === undefined || ids.includes(document[member]))
      .map(({ points, ...one }) =>
        Array.isArray(points) ? { ...one, points: points.slice(slice ?? 0) } : one,
      );
    return {
      hasNext: async () => left.length > 0,
      readBufferedDocuments: (count: number) =>
        left.splice(0, count).map((one) => BSON.serialize(one)),
      close: async () => {},
    };
  };
  const collection = (name: string) => ({ find: find.bind(undefined, name) });
  // Seam: all that a load uses.
  return { collection } as unknown as Db;
};

const recentOf = async (series: Readonly<Record<string, readonly StoredDocument[]>>) => {
  const reads: string[] = [];
  const history = Object.entries(series).map(([artist_id, points]) => ({
    ...{ _id: artist_id, artist_id, metric: 'monthly_listeners', points },
  }));
  const db = openDb({ history }, (read) => reads.push(read.replace('history ', '')));
  const recent = await readRecent(db, Object.keys(series), (days) => days);
  return { reads, daysOf: (id: string) => recent.get(id)?.series[0]?.days };
};

describe('the recent points of a series in MongoDB', () => {
  const lastDays = (newest: string) =>
    Array.from({ length: 36 }, (_, day) => addDays(newest, day - 35));

  const farAway = { date: '2062-01-01', value: 1, estimated: true };
  const cases: readonly (readonly [
    what: string,
    points: readonly StoredDocument[],
    newest: string,
    isReadWhole: boolean,
  ])[] = [
    ['all are daily', daily(90), addDays(first, 89), false],
    ['the last days are estimates', daily(90, 9), addDays(first, 80), false],
    ['it ends with a forecast of two months', daily(150, 60), addDays(first, 89), true],
    ['it repeats a number for 50 days', daily(140, 50, 'stale'), addDays(first, 89), true],
    ['one is in the far future', [...daily(90), farAway], addDays(first, 89), false],
  ];
  for (const [what, points, newest, isReadWhole] of cases)
    it(`are the 35 days up to its newest trusted point if ${what}`, async () => {
      const { daysOf, reads } = await recentOf({ a: points });
      expect(daysOf('a')).to.deep.equal(lastDays(newest));
      expect(reads).to.deep.equal(isReadWhole ? ['1 sliced', '1 whole'] : ['1 sliced']);
    });

  it('are missing without a trusted point; other series are read once', async () => {
    const points = { a: daily(90, 90, 'terminal'), b: daily(90), c: daily(20) };
    const { daysOf, reads } = await recentOf(points);
    expect(reads).to.deep.equal(['3 sliced', '1 whole']);
    expect(daysOf('a')).to.deep.equal([]);
    expect(daysOf('b')).to.deep.equal(lastDays(addDays(first, 89)));
    expect(daysOf('c')).to.have.length(20);
  });
});

describe('a load of 1,000 artists from MongoDB', () => {
  it('reads two batches concurrently, and starts none after a failure', async () => {
    const artists = Array.from({ length: 1_000 }, (_, index) => ({
      ...{ ...artistDocument, _id: `a${index}`, id: `art_${index}` },
    }));
    let batches = 0;
    let maxBatches = 2;
    const db = openDb({ artists }, (read) => {
      if (read !== 'artists 100 whole') return;
      batches += 1;
      if (batches > maxBatches) throw new Error('lost');
    });
    const { load } = createMongoCatalogue(db);
    expect(await rejectionOf(load())).to.equal('lost');
    expect(batches, 'three, and two of the second attempt').to.equal(5);
    maxBatches = Number.POSITIVE_INFINITY;
    expect((await load()).artists).to.have.length(1_000);
  });
});
