import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { BSON, type Db } from 'mongodb';
import { createMongoCatalogue } from '../../adapters/stores/mongodb/catalogue.ts';
import { createMongoHistory, maxReads } from '../../adapters/stores/mongodb/histories.ts';
import { readRecent } from '../../adapters/stores/mongodb/recent-series.ts';
import { addDays } from '../../src/domain/day.ts';
import { buildArtist } from '../support/builders.ts';
import type { StoredDocument } from '../support/documents.ts';
import { createMemoryLog } from '../support/log.ts';
import { artistDocument, seriesDocument } from '../support/stores/stored-documents.ts';
import { rejectionOf, until } from '../support/wait.ts';

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

/** Opens the histories of a MongoDB that replies to a query when a test says so. */
const open = (timeoutMs: number, maxReadMs?: number) => {
  const queries: { readonly reply: (...others: object[]) => void; readonly fail: () => void }[] =
    [];
  const find = ({ artist_id }: { artist_id: string }) => ({
    toArray: () =>
      new Promise((resolve, reject) => {
        const stored = (given: object) =>
          BSON.serialize({ _id: artist_id, ...seriesDocument, artist_id, ...given });
        queries.push({
          reply: (...others) => resolve([{}, ...others].map(stored)),
          fail: () => reject(new Error('lost')),
        });
      }),
  });
  // Seam: all that a read of a history uses.
  const db = { collection: () => ({ find }) } as unknown as Db;
  const log = createMemoryLog();
  const options = { timeoutMs, log, ...(maxReadMs !== undefined && { maxReadMs }) };
  const { read } = createMongoHistory(db, options);
  return {
    queries,
    log,
    read: async (id: string, updatedAt = 1) => {
      const { series, complete } = await read(buildArtist({ id, updatedAt }));
      return [...series.map(({ artistId }) => artistId), complete];
    },
    /** Replies to a query, and waits until the reply is parsed. */
    async reply(query: number, ...others: object[]) {
      queries[query]?.reply(...others);
      for (let turn = 0; turn < 9; turn += 1) await setImmediate();
    },
  };
};

const timeout = 'MongoDB: no reply within 1 ms';

describe('histories in MongoDB', () => {
  it('share one query between concurrent reads of one artist', async () => {
    const { read, queries, reply } = open(5_000);
    const reads = [read('a'), read('a')];
    await reply(0);
    expect(await Promise.all(reads)).to.deep.equal([
      ['a', true],
      ['a', true],
    ]);
    expect(queries).to.have.length(1);
  });

  it('omit an invalid series, and log it once', async () => {
    const { read, reply, log } = open(5_000);
    for (const query of [0, 1]) {
      const history = read('a');
      await reply(query, { _id: 'bad', metric: 'nonsense' });
      expect(await history).to.deep.equal(['a', false]);
    }
    expect(log.entries.map(({ level }) => level)).to.deep.equal(['warn']);
    expect(log.entries[0]?.facts).to.include({ collection: 'history', document: 'bad' });
  });

  it('reject the ninth concurrent read, and accept it after one has finished', async () => {
    const { read, reply } = open(5_000);
    const reads = Array.from({ length: maxReads }, (_, index) => read(`${index}`));
    expect(await rejectionOf(read('ninth'))).to.equal(
      'MongoDB: 8 histories are being read, no other is begun',
    );
    await reply(0);
    expect(await reads[0]).to.deep.equal(['0', true]);
    const ninth = read('ninth');
    await reply(maxReads);
    expect(await ninth).to.deep.equal(['ninth', true]);
  });

  it('query again when a query fails', async () => {
    const { read, queries, reply } = open(5_000);
    const history = read('a');
    queries[0]?.fail();
    await until('it is sent again', () => queries.length === 2);
    await reply(1);
    expect(await history).to.deep.equal(['a', true]);
  });

  it('serve a late reply to the next read of the same artist, once', async () => {
    const { read, queries, reply } = open(1);
    for (const id of ['a', 'b']) expect(await rejectionOf(read(id))).to.equal(timeout);
    await reply(0);
    await reply(1);
    expect(await read('b')).to.deep.equal(['b', true]);
    expect(await read('a')).to.deep.equal(['a', true]);
    expect(queries).to.have.length(2);
    expect(await rejectionOf(read('a'))).to.equal(timeout);
    expect(queries).to.have.length(3);
  });

  it('discard a reply after the timeout when the artist has changed', async () => {
    const { read, queries, reply } = open(1);
    expect(await rejectionOf(read('a'))).to.equal(timeout);
    await reply(0);
    expect(await rejectionOf(read('a', 2))).to.equal(timeout);
    expect(queries).to.have.length(2);
  });

  it('give up a query without a reply after a longer timeout, and query again', async () => {
    const { read, queries } = open(1, 2);
    const fill = async () => {
      for (let index = 0; index < maxReads; index += 1) await rejectionOf(read(`${index}`));
      return queries.length === 2 * maxReads;
    };
    await until('each is queried again', fill);
  });
});
