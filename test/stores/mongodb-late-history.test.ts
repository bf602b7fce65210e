import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { CommandStartedEvent } from 'mongodb';
import { type MongoConnection, openMongo } from '../../adapters/stores/mongodb/connection.ts';
import { createMongoHistory } from '../../adapters/stores/mongodb/histories.ts';
import { buildArtist } from '../support/builders.ts';
import { catchError } from '../support/catch-error.ts';
import { insertDocuments, readFixtures } from '../support/documents.ts';
import { createMemoryLog } from '../support/log.ts';
import { type MongoServer, startMongoServer } from '../support/mongo-server.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

const timeoutMs = 100;
const delayMs = 200;

describe('a history that MongoDB returns after the timeout', () => {
  const artist = buildArtist({ id: 'art_4jt8re', updatedAt: 1 });
  let server: MongoServer;
  let proxy: TcpProxy;
  let connection: MongoConnection;
  let finds: number;

  before(async () => {
    server = await startMongoServer();
    proxy = await startTcpProxy(server.port);
  });
  after(async () => {
    await proxy.close();
    await server.stop();
  });

  beforeEach(async () => {
    connection = openMongo(server.url(`gateway_${randomUUID().slice(0, 8)}`, proxy.port), { monitorCommands: true });
    await insertDocuments(connection.db, readFixtures());
    finds = 0;
    connection.db.client.on('commandStarted', ({ commandName }: CommandStartedEvent) => {
      if (commandName === 'find') finds += 1;
    });
    proxy.delay(delayMs);
  });
  afterEach(async () => {
    proxy.delay(0);
    await connection.close();
  });

  const open = () => createMongoHistory(connection.db, { timeoutMs, log: createMemoryLog() });
  const expectTimeout = async (read: () => Promise<unknown>): Promise<void> => {
    expect(await catchError(read)).to.have.property('message', `MongoDB: no answer within ${timeoutMs} ms`);
    await sleep(delayMs * 2);
  };

  it('is returned to the next read, once', async () => {
    const histories = open();
    await expectTimeout(() => histories.read(artist));
    expect((await histories.read(artist)).series).to.not.deep.equal([]);
    expect(finds).to.equal(1);
    await expectTimeout(() => histories.read(artist));
    expect(finds).to.equal(2);
  });

  it('is discarded when its artist changed', async () => {
    const histories = open();
    await expectTimeout(() => histories.read(artist));
    await expectTimeout(() => histories.read({ ...artist, updatedAt: 2 }));
    expect(finds).to.equal(2);
  });
});
