import { randomUUID } from 'node:crypto';
import type { CommandStartedEvent, Db } from 'mongodb';
import { type MongoConnection, openMongo } from '../../../adapters/stores/mongodb/connection.ts';
import type { StoredDocument } from '../documents.ts';
import { type MongoServer, startMongoServer } from '../mongo-server.ts';
import { startTcpProxy, type TcpProxy } from '../tcp-proxy.ts';

/**
 * Starts a MongoDB server behind a proxy for the tests of a suite, and gives each of them an empty
 * database.
 */
export const useMongo = () => {
  let server: MongoServer;
  let proxy: TcpProxy;
  let connections: MongoConnection[];
  const finds: StoredDocument[] = [];
  const dbOf = (index: number): Db => {
    const connection = connections[index];
    if (connection === undefined) throw new Error('There is no test.');
    return connection.db;
  };

  before(async () => {
    server = await startMongoServer();
    proxy = await startTcpProxy(server.port);
  });
  after(async () => {
    await proxy.close();
    await server.stop();
  });
  beforeEach(() => {
    const name = `gateway_${randomUUID().slice(0, 8)}`;
    connections = [undefined, proxy.port].map((port) =>
      openMongo(server.url(name, port), { monitorCommands: true }),
    );
    finds.length = 0;
    for (const { db } of connections) {
      db.client.on('commandStarted', ({ commandName, command }: CommandStartedEvent) => {
        if (commandName === 'find') finds.push(command);
      });
    }
  });
  afterEach(() => Promise.all(connections.map(({ close }) => close())));

  return {
    /** The database of the running test. */
    get db() {
      return dbOf(0);
    },
    /** The same database, reached through the proxy. */
    get proxied() {
      return dbOf(1);
    },
    get proxy() {
      return proxy;
    },
    /** The commands `find` that were sent so far, by either way. */
    finds,
  };
};
