import {
  MongoError,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
} from 'mongodb';
import {
  describeFailure,
  isNetworkFailure,
  remedyFor,
  StoreError,
} from '../../../src/runtime/store-error.ts';

const duplicateKey = 11_000;

/** The codes of a failed authentication: of MongoDB, and of Atlas. */
const authentication: ReadonlySet<number> = new Set([18, 8000]);

/** Whether a write failed because a unique index already has its key. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === duplicateKey;

/**
 * The rights that commands need, where they have another name. An update with `upsert` needs two.
 */
const rightsOf: Readonly<Record<string, string>> = {
  update: 'insert and update',
  delete: 'remove',
  createIndexes: 'createIndex',
};

/**
 * Names the right that the user lacks. The server repeats the whole command, whose values do not
 * belong into a log.
 */
const describeRight = ({ message }: MongoServerError): string | undefined => {
  const [, database, rest = ''] =
    /^not authorized on (\S+) to execute command (.+)/s.exec(message) ?? [];
  if (database === undefined) return undefined;
  const [, command = '', collection] = /^\{ (\w+): "([^"]*)"/.exec(rest) ?? [];
  const right =
    rightsOf[command] ?? (command || (/action: (\w+)/.exec(rest)?.[1] ?? 'another right'));
  return `its user needs ${right} on ${collection === undefined ? database : `${database}.${collection}`}`;
};

const unauthorized = 13;

/** Why MongoDB failed, in words. */
const reasonOf = (error: unknown): string =>
  (error instanceof MongoServerError && error.code === unauthorized
    ? describeRight(error)
    : undefined) ?? describeFailure(error);

/**
 * Whether no server can be reached. The look-up of a `mongodb+srv` address fails with an error of
 * Node, not of the driver.
 */
const isUnreachable = (error: unknown): boolean =>
  error instanceof MongoServerSelectionError ||
  (!(error instanceof MongoError) && isNetworkFailure(error));

/** Whether the server refused the user or the password. */
const isRefusal = (error: unknown): boolean =>
  error instanceof MongoServerError && authentication.has(Number(error.code));

/**
 * Describes an error of the driver or the network in one line that says what to do; `undefined` for
 * other errors. Never repeats the URL: it may hold a password.
 */
export const describeMongoFailure = (error: unknown): string | undefined => {
  const reason = reasonOf(error);
  if (isUnreachable(error) || isRefusal(error))
    return `MongoDB cannot be reached (${reason}): ${remedyFor(reason, 'MONGODB_URL')}.`;
  if (!(error instanceof MongoError)) return undefined;
  if (error instanceof MongoNetworkError)
    return `The connection to MongoDB broke (${reason}): run the command again.`;
  if (isDuplicate(error))
    return `MongoDB holds the same key twice: remove one of the documents (${reason}).`;
  return `MongoDB refused: ${reason}`;
};

/**
 * Creates a function for one client that settles as `work` does, with an error of the driver or the
 * network as a `StoreError`. When connecting fails the driver tells most callers only that it
 * closed its topology: `connectionFailure` returns why.
 */
export const createStoreErrors =
  (connectionFailure: () => Error | undefined) =>
  async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof MongoError) && !isUnreachable(error)) throw error;
      const cause = error instanceof MongoTopologyClosedError ? connectionFailure() : error;
      throw new StoreError(`MongoDB: ${cause === undefined ? 'not connected' : reasonOf(cause)}`);
    }
  };
