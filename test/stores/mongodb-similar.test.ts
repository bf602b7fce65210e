import { expect } from 'chai';
import type { Db } from 'mongodb';
import { openMongo } from '../../adapters/stores/mongodb/connection.ts';
import { findSimilarDatabases } from '../../adapters/stores/mongodb/similar-databases.ts';
import { createCleanup } from '../support/cleanup.ts';
import { type MongoServer, startMongoServer } from '../support/mongo-server.ts';

describe('databases with similar names', () => {
  const cleanup = createCleanup();
  let server: MongoServer;
  const open = (name: string): Db => cleanup.add(openMongo(server.url(name)), (opened) => opened.close()).db;
  const names = ['gateway', 'getaway', 'gateways', 'gatway', 'catalogue'];

  before(async () => {
    server = await cleanup.start(startMongoServer());
    for (const name of names)
      await open(name)
        .collection(name === 'gatway' ? 'api_keys' : 'artists')
        .insertOne({});
    await open('gatewax').collection('artists').deleteMany({});
  });
  after(() => cleanup.run());

  /** A database whose server lists these names: the test server does not know the command. */
  const listing = (db: Db): Db =>
    Object.create(db, {
      admin: {
        value: () => ({
          listDatabases: async () => ({ databases: [...names, 'gatewax', 'gatewey'].map((name) => ({ name })) }),
        }),
      },
      client: { value: db.client },
      databaseName: { value: db.databaseName },
    });

  it('are one letter off and hold artists or keys', async () => {
    expect(await findSimilarDatabases(listing(open('gatewey')))).to.deep.equal(['gateway']);
    expect(await findSimilarDatabases(listing(open('gataway')))).to.deep.equal(['gateway', 'getaway', 'gatway']);
  });

  it('are none where the server does not list its databases', async () => {
    expect(await findSimilarDatabases(open('gatewey'))).to.deep.equal([]);
  });
});
