import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Db } from 'mongodb';
import { createMongoHistory } from '../../adapters/stores/mongodb/histories.ts';
import { buildArtist } from '../support/builders.ts';
import { catchError } from '../support/catch-error.ts';
import { insertDocuments, readFixtures } from '../support/documents.ts';
import { createMemoryLog } from '../support/log.ts';
import { useMongo } from '../support/stores/mongo-database.ts';
import { until } from '../support/wait.ts';

const timeoutMs = 100;
const delayMs = 200;

describe('histories that are read at a time', () => {
  const mongo = useMongo();
  const artists = Array.from({ length: 9 }, (_, index) =>
    buildArtist({ id: `art_${index}`, updatedAt: 1 }),
  );

  it('are eight, however slow MongoDB is: a ninth is refused at once, and read once there is room', async () => {
    await insertDocuments(mongo.proxied, readFixtures());
    mongo.proxy.delay(delayMs);
    const { read } = createMongoHistory(mongo.proxied, {
      timeoutMs: 5_000,
      log: createMemoryLog(),
    });
    const reads = artists.slice(0, 8).map((artist) => read(artist));
    const ninth = () => read(artists[8] ?? buildArtist());
    const settled = Promise.race([...reads, catchError(ninth)]);
    expect(await settled).to.have.property(
      'message',
      'MongoDB: 8 histories are being read, no other is begun',
    );
    // one that is being read already is shared
    const shared = read(artists[0] ?? buildArtist());
    mongo.proxy.delay(0);
    await Promise.all([...reads, shared]);
    expect((await ninth()).series).to.deep.equal([]);
  });
});

describe('a history that MongoDB returns after the timeout', () => {
  const artist = buildArtist({ id: 'art_7rf1ly', updatedAt: 1 });
  const mongo = useMongo();

  beforeEach(async () => {
    await insertDocuments(mongo.proxied, readFixtures());
    mongo.proxy.delay(delayMs);
  });
  afterEach(() => mongo.proxy.delay(0));

  const open = () => createMongoHistory(mongo.proxied, { timeoutMs, log: createMemoryLog() });
  const expectTimeout = async (read: () => Promise<unknown>): Promise<void> => {
    expect(await catchError(read)).to.have.property(
      'message',
      `MongoDB: no answer within ${timeoutMs} ms`,
    );
    await sleep(delayMs * 2);
  };

  it('is returned to the next read, once', async () => {
    const histories = open();
    await expectTimeout(() => histories.read(artist));
    expect((await histories.read(artist)).series).to.not.deep.equal([]);
    expect(mongo.finds).to.have.length(1);
    await expectTimeout(() => histories.read(artist));
    expect(mongo.finds).to.have.length(2);
  });

  it('is returned for its own artist, and not for another one that was asked for after it', async () => {
    const histories = open();
    const other = buildArtist({ id: 'art_4jt8re', updatedAt: 1 });
    await expectTimeout(() => Promise.all([artist, other].map((one) => histories.read(one))));
    for (const { id, updatedAt } of [other, artist]) {
      const { series } = await histories.read(buildArtist({ id, updatedAt }));
      expect(new Set(series.map(({ artistId }) => artistId))).to.deep.equal(new Set([id]));
    }
  });

  it('is discarded when its artist changed', async () => {
    const histories = open();
    await expectTimeout(() => histories.read(artist));
    await expectTimeout(() => histories.read({ ...artist, updatedAt: 2 }));
    expect(mongo.finds).to.have.length(2);
  });

  it('is read again when the reply was lost', async () => {
    const maxReadMs = 300;
    let lost = 1;
    const collection = (name: string) => ({
      find: (filter: object, options: object) =>
        lost-- > 0
          ? { toArray: () => new Promise(() => {}) }
          : mongo.db.collection(name).find(filter, options),
    });
    const db = { collection } as unknown as Db; // all that a read of one artist with series uses
    const histories = createMongoHistory(db, { timeoutMs, maxReadMs, log: createMemoryLog() });
    await expectTimeout(() => histories.read(artist));
    await sleep(maxReadMs);
    // a busy machine may need more than one of these short waits
    await until('it is read', async () => (await histories.read(artist)).series.length > 0);
  });

  it('is in time when MongoDB answered in time and this process was too busy to read it', async () => {
    await mongo.db.command({ ping: 1 }); // opens the connection
    const histories = createMongoHistory(mongo.db, { timeoutMs, log: createMemoryLog() });
    const read = histories.read(artist);
    await setImmediate(); // The command is written, and timers are due before sockets are read.
    const end = Date.now() + timeoutMs * 2;
    while (Date.now() < end) JSON.stringify(artist); // no event is handled meanwhile
    expect((await read).series).to.not.deep.equal([]);
  });
});
