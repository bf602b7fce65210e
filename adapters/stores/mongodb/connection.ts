import { type Db, MongoClient, type MongoClientOptions } from 'mongodb';

/**
 * Every wait has its own bound: to select a server, to connect, for a reply, for a free connection. They are generous: a
 * slow database only makes changes show later, while the last copy serves; what a request waits for is bounded where it
 * waits. (The driver's `timeoutMS` must not be used: it has no effect in this version and could hand one caller another's
 * reply in earlier ones.)
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
};

/** The longest a server may work on one read, in milliseconds. */
export const maxTimeMS = 1_500;

export interface MongoConnection {
  readonly db: Db;
  close(): Promise<void>;
}

export interface MongoConnectionOptions {
  /** Whether the client emits an event for every command it sends. */
  readonly monitorCommands?: boolean;
  /** The longest to wait for one reply, in milliseconds: what writes in bulk needs more than what follows changes. */
  readonly socketTimeoutMS?: number;
}

/** A connection to the database in the URL's path. Connects when it is first used, and again whenever it has to. */
export const openMongo = (url: string, given: MongoConnectionOptions = {}): MongoConnection => {
  const client = new MongoClient(url, { ...options, ...given });
  return { db: client.db(), close: () => client.close() };
};

/** Reads, and once more when that fails: the driver's own retry does not cover a connection that is reset under it. */
export const readTwice = async <Value>(read: () => Promise<Value>): Promise<Value> => read().catch(read);
