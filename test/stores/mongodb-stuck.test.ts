import type { Socket } from 'node:net';
import { expect } from 'chai';
import type { MongoClient } from 'mongodb';
import { openMongo } from '../../adapters/stores/mongodb/connection.ts';
import { useCleanup } from '../support/cleanup.ts';
import { createMemoryLog } from '../support/log.ts';
import { startMongoProcess } from '../support/mongo-server.ts';
import { until } from '../support/wait.ts';

/** What the driver keeps of its only server. */
interface DriverServer {
  readonly description: { readonly topologyVersion: object | null };
  readonly monitor: { readonly connection: { readonly socket: Socket } | null };
  readonly pool: { readonly connections: { first(): { readonly socket: Socket } | null } };
}

/** Seam: internal to the driver, without types. */
const serverOf = (client: MongoClient): DriverServer => {
  const { topology } = client as unknown as {
    topology: { s: { servers: Map<string, DriverServer> } };
  };
  const [server] = topology.s.servers.values();
  if (server === undefined) throw new Error('the client has no server');
  return server;
};

const stuck = 'MongoDB client stuck, reconnecting';

describe('a client of MongoDB that writes to a connection which has just ended', () => {
  const cleanup = useCleanup(afterEach);

  const start = async (options: Parameters<typeof openMongo>[1]) => {
    const log = createMemoryLog();
    const mongo = await cleanup.start(startMongoProcess());
    const { db } = cleanup.add(openMongo(mongo.url('stuck'), { ...options, log }), ({ close }) =>
      close(),
    );
    const ping = () => db.command({ ping: 1 });
    const answers = () => ping().then(() => true);
    await until('MongoDB answers', answers);
    const events = () => log.entries.map(({ event }) => event);
    return { events, mongo, client: db.client, ping, answers };
  };

  it('connects again when heartbeats stop', async () => {
    const times = { connectTimeoutMS: 200, heartbeatFrequencyMS: 500 };
    const { events, mongo, client, ping, answers } = await start(times);
    const { monitor, description } = serverOf(client);
    const written = new Promise<void>((resolve) => {
      client.once('serverHeartbeatStarted', () => {
        monitor.connection?.socket.destroy();
        resolve();
      });
    });
    const pings = Array.from({ length: 4 }, async () => {
      for (;;) await ping();
    });
    const failures = Promise.allSettled(pings);
    await written;
    // while commands wait for their replies: the driver marks the server as unknown
    await mongo.kill();
    await failures;
    await mongo.restart();
    await until('MongoDB answers again', answers);
    // If the server sends its topologyVersion, the driver drops the heartbeat of a failed command.
    expect(events()).to.deep.equal(description.topologyVersion === null ? [stuck] : []);
  });

  it('connects again when commands never end, even if all connections are in use', async () => {
    const { events, client, ping, answers } = await start({ socketTimeoutMS: 100 });
    const first = () => serverOf(client).pool.connections.first();
    for (let lost = 0; lost < 5; lost += 1) {
      await until('a connection is free', async () => {
        await ping().catch(() => {});
        return first() !== null;
      });
      first()?.socket.destroy();
      ping().catch(() => {}); // never settles
    }
    await until('MongoDB answers again', answers);
    expect(events()).to.include(stuck);
  });
});
