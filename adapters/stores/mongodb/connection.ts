import { MongoClient, type MongoClientOptions } from 'mongodb';

/**
 * Timeouts for selecting a server, connecting, a reply and a free connection. They are generous: a slow database delays
 * changes while the last copy is served, and requests have their own deadline (`STORE_TIMEOUT_MS`). Do not use the driver's
 * `timeoutMS`: it has no effect in this version, and earlier versions could return one caller's reply to another.
 */
const options: MongoClientOptions = {
  appName: 'artist-gateway',
  serverSelectionTimeoutMS: 3_000,
  connectTimeoutMS: 3_000,
  socketTimeoutMS: 5_000,
  waitQueueTimeoutMS: 3_000,
  maxPoolSize: 5,
  minPoolSize: 1,
  maxIdleTimeMS: 60_000,
  heartbeatFrequencyMS: 2_000,
  serverMonitoringMode: 'poll',
  retryReads: true,
  readPreference: 'primaryPreferred',
  // One document must not fail the others: texts that are not UTF-8, and regular expressions that JavaScript does not know.
  enableUtf8Validation: false,
  bsonRegExp: true,
};

/** Maximum execution time of one read on the server, in milliseconds. */
export const maxTimeMS = 1_500;

export interface MongoConnectionOptions {
  /** Whether the client emits an event for every command it sends. */
  readonly monitorCommands?: boolean;
  /** Timeout of one reply, in milliseconds. Bulk writes need more than the default of 5,000. */
  readonly socketTimeoutMS?: number;
}

/** Opens the database in the URL's path. Connects on first use and reconnects. Throws when the URL is invalid. */
export const openMongo = (url: string, given: MongoConnectionOptions = {}) => {
  const client = new MongoClient(url, { ...options, ...given });
  let failure: Error | undefined;
  client.on('serverHeartbeatFailed', (event) => {
    failure = event.failure;
  });
  client.on('serverHeartbeatSucceeded', () => {
    failure = undefined;
  });
  let isClosed = false;
  // Seam: when its first attempt to connect fails the driver closes its topology, and then refuses every operation for ever.
  // Each attempt lasts until no server was found in time; `setImmediate`, because the failed one must have ended.
  client.on('topologyClosed', () =>
    setImmediate(() => {
      if (!isClosed) client.connect().catch(() => {}); // the heartbeats say why
    }),
  );
  return {
    db: client.db(),
    /** Why the last attempt to reach a server failed; `undefined` when it succeeded. */
    failure: () => failure,
    close(): Promise<void> {
      isClosed = true;
      return client.close();
    },
  };
};

export type MongoConnection = ReturnType<typeof openMongo>;

/** Calls `read`, and once more when it rejects: the driver's own retry does not cover a connection reset while reading. */
export const readTwice = async <Value>(read: () => Promise<Value>): Promise<Value> => read().catch(read);
