import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { BSON, type Db } from 'mongodb';
import { createMongoHistory, maxReads } from '../../adapters/stores/mongodb/histories.ts';
import { buildArtist } from '../support/builders.ts';
import { createMemoryLog } from '../support/log.ts';
import { seriesDocument } from '../support/stores/stored-documents.ts';
import { rejectionOf, until } from '../support/wait.ts';

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

const timeout = 'MongoDB: no answer within 1 ms';

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

  it('serve a reply after the timeout to the next read of the same artist, once', async () => {
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
