import { accessSync, constants } from 'node:fs';
import { MongoClient, type MongoClientOptions, MongoServerSelectionError } from 'mongodb';
import type { Log } from '../../../src/ports.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { createClockWatch } from '../../../src/runtime/clock-watch.ts';
import { describeFailure } from '../../../src/runtime/store-error.ts';
import { unusableUrl } from '../store-url.ts';

/**
 * Timeouts for selecting a server, connecting, a reply and a free connection. They are long: during
 * a slow load the last copy is served, and requests have their own deadline (`STORE_TIMEOUT_MS`).
 * Do not use the driver's `timeoutMS`: it has no effect here, and earlier versions could return one
 * caller's reply to another.
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
  readPreference: 'primary', // a secondary may lag and undo a revocation
  // One document must not fail the others: accept texts that are not UTF-8, and unsupported regular
  // expressions.
  enableUtf8Validation: false,
  bsonRegExp: true,
};

/** Maximum execution time of one read on the server, in milliseconds. */
export const maxTimeMS = 1_500;

type MongoConnectionOptions = Pick<
  MongoClientOptions,
  | 'monitorCommands'
  | 'maxPoolSize'
  | 'socketTimeoutMS'
  | 'connectTimeoutMS'
  | 'heartbeatFrequencyMS'
> & {
  /** Logs a stuck client and clock differences. */
  readonly log?: Log;
  /** False if another connection watches the server's clock. */
  readonly watchesClock?: boolean;
};

/** Maximum duration of a command, in reply timeouts: long replies arrive in many parts. */
const maxReplyTimeouts = 12;

/**
 * Seam: if the other side has just closed a connection, the driver may write to its destroyed
 * socket and wait forever, ignoring its timeouts. Then the server is unknown or a pool connection
 * is lost. This closes the client, which reconnects (`topologyClosed`); waiting calls reject at
 * their caller's deadline.
 */
const closeWhenStuck = (client: MongoClient, log: Log | undefined): void => {
  const { connectTimeoutMS, heartbeatFrequencyMS, socketTimeoutMS } = client.options;
  const timers = new Map<string, NodeJS.Timeout>();
  const end = (what: string): void => {
    clearTimeout(timers.get(what));
    timers.delete(what);
  };
  const begin = (what: string, maxMs: number): void => {
    end(what);
    const close = (): void => {
      log?.warn({ what, maxMs }, 'MongoDB client stuck, reconnecting');
      client.close().catch(() => {}); // the next client's heartbeats report why
    };
    timers.set(what, setTimeout(close, maxMs).unref());
  };
  const heartbeatOf = (address: string): string => `heartbeat of ${address}`;
  client.on('serverHeartbeatStarted', ({ connectionId }) =>
    begin(heartbeatOf(connectionId), connectTimeoutMS + heartbeatFrequencyMS),
  );
  client.on('serverHeartbeatSucceeded', ({ connectionId }) => end(heartbeatOf(connectionId)));
  client.on('serverHeartbeatFailed', ({ connectionId }) => end(heartbeatOf(connectionId)));
  client.on('serverClosed', ({ address }) => end(heartbeatOf(address)));
  client.on('connectionCheckedOut', ({ address, connectionId }) =>
    begin(
      `command on connection ${connectionId} of ${address}`,
      maxReplyTimeouts * socketTimeoutMS,
    ),
  );
  client.on('connectionCheckedIn', ({ address, connectionId }) =>
    end(`command on connection ${connectionId} of ${address}`),
  );
  client.on('topologyClosed', () => [...timers.keys()].forEach(end));
};

const certificateFiles = ['tlsCAFile', 'tlsCertificateKeyFile', 'tlsCRLFile'] as const;

/** Rejects certificate files that cannot be read. */
const requireCertificates = (given: MongoClientOptions): void => {
  for (const option of certificateFiles) {
    try {
      accessSync(given[option] ?? '.', constants.R_OK);
    } catch (cause) {
      throw unusableUrl('MONGODB_URL', `its ${option}: ${describeFailure(cause)}`);
    }
  }
};

/**
 * Creates a client. Throws a `SettingError` with the driver's message, without values from the URL.
 */
const createClient = (url: string, given: MongoClientOptions): MongoClient => {
  try {
    return new MongoClient(url, given);
  } catch (error) {
    const values = url.match(/(?<=[:=])(?!true|false|\d+\b)[^/@&]+/g) ?? [];
    const withoutValues = values.reduce(
      (text, value) => text.replaceAll(value, '…'),
      describeFailure(error),
    );
    throw unusableUrl('MONGODB_URL', withoutValues);
  }
};

/**
 * Opens the database in the URL's path. Connects on first use and reconnects. Throws a
 * `SettingError` if the URL is invalid.
 */
export const openMongo = (
  url: string,
  { log, watchesClock = true, ...given }: MongoConnectionOptions = {},
) => {
  const client = createClient(url, { ...options, ...given });
  requireCertificates(client.options);
  const db = client.db();
  closeWhenStuck(client, log);
  let failure: Error | undefined;
  client.on('serverHeartbeatFailed', (event) => {
    failure = event.failure;
  });
  const clock = watchesClock && log ? createClockWatch('mongodb', log) : undefined;
  client.on('serverHeartbeatSucceeded', ({ reply, duration }) => {
    failure = undefined;
    const { localTime, isWritablePrimary } = reply;
    if (localTime instanceof Date && isWritablePrimary === true)
      clock?.note(localTime.getTime() + duration / 2 - systemClock().now());
  });
  /** Why no server is usable although the servers of the URL reply. */
  let unusable: Error | undefined;
  client.on(
    'topologyDescriptionChanged',
    ({ newDescription: { type, servers }, newDescription }) => {
      const isKnown = [...servers.values()].some((server) => server.type !== 'Unknown');
      if (type !== 'ReplicaSetNoPrimary') unusable = undefined;
      else if (isKnown || servers.size === 0)
        unusable = new MongoServerSelectionError('No server is usable', newDescription);
    },
  );
  const connect = (): void => {
    client.connect().catch(() => {}); // the heartbeats report why
  };
  let isClosed = false;
  // Seam: if its first attempt to connect fails, the driver closes its topology, which then rejects
  // every operation. So connect again; `setImmediate`, because the failed attempt must have ended.
  client.on('topologyClosed', () =>
    setImmediate(() => {
      if (!isClosed) connect();
    }),
  );
  return {
    db,
    /** Connects before the first use. */
    connect,
    /** Why the last attempt to reach a server failed; `undefined` if it succeeded. */
    failure: () => failure ?? unusable,
    /** Milliseconds by which the primary's clock is ahead; `undefined` without a log. */
    clockAheadMs: () => clock?.aheadMs(),
    close(): Promise<void> {
      isClosed = true;
      return client.close();
    },
  };
};

export type MongoConnection = ReturnType<typeof openMongo>;

/**
 * Calls `read`, and again if it rejects: the driver's own retry does not cover a connection reset
 * during a read.
 */
export const readTwice = async <Value>(read: () => Promise<Value>): Promise<Value> =>
  read().catch(read);
