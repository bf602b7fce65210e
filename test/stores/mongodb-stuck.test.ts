import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import type { MongoClient } from 'mongodb';
import { openMongo } from '../../adapters/stores/mongodb/connection.ts';
import { useCleanup } from '../support/cleanup.ts';
import { createMemoryLog } from '../support/log.ts';
import { startMongoProcess } from '../support/mongo-server.ts';
import { until } from '../support/wait.ts';

/** The driver waits this long from one heartbeat to the next that is asked for. */
const minHeartbeatMs = 500;

/** What the driver keeps of its only server. */
interface DriverServer {
  readonly description: { readonly topologyVersion: object | null };
  readonly monitor: {
    readonly connection: { readonly socket: Socket } | null;
    requestCheck(): void;
  };
  readonly pool: { readonly connections: { first(): { readonly socket: Socket } | null } };
}

const serverOf = (client: MongoClient): DriverServer => {
  const { topology } = client as unknown as {
    topology: { s: { servers: Map<string, DriverServer> } };
  }; // internal, not typed
  const [server] = topology.s.servers.values();
  if (server === undefined) throw new Error('the client has no server');
  return server;
};

describe('a client of MongoDB that writes to a connection which has just ended', () => {
  const cleanup = useCleanup(after);

  const start = async (options: Parameters<typeof openMongo>[1] = {}) => {
    const log = createMemoryLog();
    const mongo = await cleanup.start(startMongoProcess());
    const { db } = cleanup.add(openMongo(mongo.url('stuck'), { ...options, log }), ({ close }) =>
      close(),
    );
    const ping = () => db.command({ ping: 1 });
    const answers = () => ping().then(() => true);
    await until('MongoDB answers', answers);
    return { log, mongo, db, ping, answers };
  };

  const loseHeartbeats = async (): Promise<void> => {
    const { log, mongo, db, ping, answers } = await start();
    const { monitor, description } = serverOf(db.client);
    await once(db.client, 'serverHeartbeatSucceeded');
    // Of a server that tells its topologyVersion the driver drops the heartbeat when a command
    // fails.
    const expected =
      description.topologyVersion === null ? ['MongoDB client stuck, reconnecting'] : [];
    await wait(minHeartbeatMs + 100);
    monitor.connection?.socket.destroy();
    monitor.requestCheck();
    const pings = Array.from({ length: 4 }, async () => {
      for (;;) await ping();
    });
    const failures = Promise.allSettled(pings);
    await wait(50);
    // while commands wait for their replies: the driver marks the server as unknown
    await mongo.kill();
    await failures;
    await mongo.restart();
    await until('MongoDB answers again', answers, 30_000);
    expect(log.entries.map(({ event }) => event)).to.deep.equal(expected);
  };

  const loseCommands = async (): Promise<void> => {
    const { log, db, ping, answers } = await start({ socketTimeoutMS: 100 });
    for (let lost = 0; lost < 5; lost++) {
      await until('a connection is free', async () => {
        await ping().catch(() => {});
        return serverOf(db.client).pool.connections.first() !== null;
      });
      serverOf(db.client).pool.connections.first()?.socket.destroy();
      ping().catch(() => {}); // never settles
    }
    await until('MongoDB answers again', answers, 30_000);
    expect(
      log.entries.some(({ event }) => event === 'MongoDB client stuck, reconnecting'),
    ).to.equal(true);
  };

  const checks = [
    ['connects again when no heartbeat follows any more', loseHeartbeats],
    ['connects again when commands never end, also when all connections are in use', loseCommands],
  ] as const;
  /** All wait for the driver, and begin with the first test. */
  let begun: readonly Promise<unknown>[] = [];
  before(() => {
    begun = checks.map(([, check]) => check().catch((failure: unknown) => failure));
  });

  for (const [index, [title]] of checks.entries())
    it(title, async () => {
      const failure = await begun[index];
      if (failure !== undefined) throw failure;
    });
});
