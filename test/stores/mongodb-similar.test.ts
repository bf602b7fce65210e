import { expect } from 'chai';
import { type Db, MongoServerError } from 'mongodb';
import { openMongo } from '../../adapters/stores/mongodb/connection.ts';
import { findSimilarDatabases } from '../../adapters/stores/mongodb/similar-databases.ts';
import { useCleanup } from '../support/cleanup.ts';
import { type MongoServer, startMongoServer } from '../support/mongo-server.ts';

describe('databases with similar names', () => {
  const cleanup = useCleanup(after);
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

  /** A database whose server answers the command so: not every test server knows it. */
  const listing = (db: Db, listDatabases: () => Promise<object>): Db =>
    Object.create(db, {
      admin: { value: () => ({ listDatabases }) },
      client: { value: db.client },
      databaseName: { value: db.databaseName },
    });

  it('are one letter off and hold artists or keys', async () => {
    const all = async () => ({ databases: [...names, 'gatewax', 'gatewey'].map((name) => ({ name })) });
    expect(await findSimilarDatabases(listing(open('gatewey'), all))).to.deep.equal(['gateway']);
    expect(await findSimilarDatabases(listing(open('gataway'), all))).to.deep.equal(['gateway', 'getaway', 'gatway']);
  });

  it('are none where the server does not list its databases', async () => {
    const refuse = () => Promise.reject(new MongoServerError({ message: 'not authorized', code: 13 }));
    expect(await findSimilarDatabases(listing(open('gatewey'), refuse))).to.deep.equal([]);
  });
});
