import {
  MongoError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
} from 'mongodb';
import {
  explainFailure,
  type FailureRow,
  isNetworkFailure,
  StoreError,
  type StoreFailure,
} from '../../../src/runtime/store-error.ts';

/** True if a write failed because a unique index already has its key. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === 11_000;

/** Rights whose name differs from their command. An update with `upsert` needs two. */
const rightsOf: Readonly<Record<string, string>> = {
  update: 'insert and update',
  delete: 'remove',
  createIndexes: 'createIndex',
};

const refusedCommand = /^not authorized on (\S+) to execute command (.+)/s;

/**
 * Names the missing right. The server's message repeats the command, whose values must not be
 * logged.
 */
const describeRight = ({ message }: Error): string => {
  const [, database = '', rest = ''] = refusedCommand.exec(message) ?? [];
  const [, command = '', collection] = /^\{ (\w+): "([^"]*)"/.exec(rest) ?? [];
  const right =
    rightsOf[command] ?? (command || (/action: (\w+)/.exec(rest)?.[1] ?? 'another right'));
  return `its user needs ${right} on ${collection === undefined ? database : `${database}.${collection}`}`;
};

/** True if a replica set has no usable server although no server failed. */
const hasNoPrimary = (error: Error): boolean =>
  error instanceof MongoServerSelectionError && error.reason?.type === 'ReplicaSetNoPrimary';

const rows: readonly FailureRow[] = [
  [
    /^(18|8000) /,
    'user or password refused',
    'correct the user, the password or authSource in SETTING: by default users are looked for in the database of its path',
  ],
  [
    (error) => refusedCommand.test(error.message),
    describeRight,
    'grant it: docs/operating.md, "MongoDB", has the rights of each user',
  ],
  [/^13 /, 'it requires a user', 'write the user and the password into SETTING'],
  [
    /^(10107|11602|13435|13436|189|91) /,
    'the server is not the primary of its set',
    'name all members and replicaSet in SETTING, without directConnection',
  ],
  [
    /^50 /,
    'too slow: it gave up a read that took too long',
    'look at its load; "artist-gateway catalogue indexes" creates missing indexes',
  ],
  [/^11000 /, undefined, 'remove one of the documents with the same key'],
  [
    hasNoPrimary,
    'no primary of the replica set was found',
    'correct replicaSet in SETTING, leave it out for a single server, or start the other members',
  ],
];

/** Why MongoDB failed, and how to fix it. Never repeats the URL, which may contain a password. */
export const explainMongoFailure = (error: unknown): StoreFailure =>
  explainFailure(error, 'MONGODB_URL', rows);

/** The same in one line; `undefined` for errors of neither the driver nor the network. */
export const describeMongoFailure = (error: unknown): string | undefined => {
  if (!(error instanceof MongoError) && !isNetworkFailure(error)) return undefined;
  const { reason, remedy } = explainMongoFailure(error);
  const isRefusal = error instanceof MongoServerError && ![18, 8000].includes(Number(error.code));
  return `MongoDB ${isRefusal ? 'refused' : 'cannot be reached'} (${reason}): ${remedy}.`;
};

/**
 * Creates a function for one client that settles as `work` does, with errors of the driver or the
 * network as a `StoreError`. If connecting fails, most callers only get a closed topology from the
 * driver. `connectionFailure` returns the reason, otherwise the last error with a reason is used.
 */
export const createStoreErrors = (connectionFailure: () => Error | undefined) => {
  let lastReason: StoreError | undefined;
  return async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      const result = await work;
      lastReason = undefined;
      return result;
    } catch (error) {
      if (!(error instanceof MongoError) && !isNetworkFailure(error)) throw error;
      const cause = error instanceof MongoTopologyClosedError ? connectionFailure() : error;
      if (cause !== undefined) {
        const { reason, remedy } = explainMongoFailure(cause);
        lastReason = new StoreError(`MongoDB: ${reason}`, remedy);
      }
      throw lastReason ?? new StoreError('MongoDB: not connected');
    }
  };
};
