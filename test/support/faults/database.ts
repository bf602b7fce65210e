import { MongoClient } from 'mongodb';
import { createCleanup } from '../cleanup.ts';
import { insertDocuments, readFixtures } from '../documents.ts';
import { startGatewayProcess } from '../gateway-process.ts';
import { startMongoProcess } from '../mongo-server.ts';
import { startTcpProxy } from '../tcp-proxy.ts';

/** Shorter intervals than the defaults, so that a fault test takes seconds instead of minutes. */
export const shortIntervals = {
  CATALOGUE_REFRESH_SECONDS: '0.5',
  KEYS_REFRESH_SECONDS: '0.5',
  MAX_STALENESS_SECONDS: '5',
  KEYS_MAX_STALENESS_SECONDS: '5',
  FIXED_NOW: '2026-08-22T12:00:00Z',
};

/**
 * Starts a gateway on a MongoDB server of its own, reached through a proxy, with the example
 * catalogue in it.
 */
export const startDatabaseUnderFault = async ({
  settings = {},
  intervals = shortIntervals,
}: {
  readonly settings?: Record<string, string>;
  readonly intervals?: Record<string, string>;
} = {}) => {
  const cleanup = createCleanup();
  const mongo = await cleanup.start(startMongoProcess());
  const proxy = cleanup.add(await startTcpProxy(mongo.port), ({ close }) => close());
  const options = { serverSelectionTimeoutMS: 5_000 };
  const client = cleanup.add(new MongoClient(mongo.url('gateway'), options), (opened) =>
    opened.close(),
  );
  const db = client.db(); // past the proxy
  /** Inserts the example catalogue. */
  const fill = () => insertDocuments(db, readFixtures());
  await fill();
  const url = mongo.url('gateway', proxy.port);
  /** Starts another gateway with the same settings and these. The test stops it. */
  const startAnother = (others: Record<string, string> = {}) =>
    startGatewayProcess({ MONGODB_URL: url, ...intervals, ...settings, ...others });
  // A gateway that does not start must leave no server behind: it would keep the test run from
  // ending.
  const gateway = await cleanup.start(startAnother()).catch(async (failure: unknown) => {
    await cleanup.run();
    throw failure;
  });
  return { mongo, proxy, gateway, db, fill, startAnother, stop: cleanup.run };
};

export type DatabaseUnderFault = Awaited<ReturnType<typeof startDatabaseUnderFault>>;

/** A fault of the database: how it begins and how it ends. */
export interface Fault {
  readonly name: string;
  readonly begin: (setup: DatabaseUnderFault) => void | Promise<void>;
  readonly end: (setup: DatabaseUnderFault) => void | Promise<void>;
}

export const faults: readonly Fault[] = [
  {
    name: 'MongoDB is down',
    begin: ({ mongo }) => mongo.kill(),
    async end({ mongo, proxy, fill }) {
      proxy.hold(); // it comes back empty: the gateway must not read it before it is filled
      await mongo.restart();
      await fill();
      proxy.release();
    },
  },
  {
    name: 'MongoDB is paused',
    begin: ({ mongo }) => mongo.pause(),
    end: ({ mongo }) => mongo.resume(),
  },
  {
    name: 'the network drops everything',
    begin: ({ proxy }) => proxy.hold(),
    end: ({ proxy }) => proxy.release(),
  },
];
