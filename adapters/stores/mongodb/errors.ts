import {
  type Db,
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
  type StoreFailure,
} from '../../../src/runtime/store-error.ts';

const variable = 'MONGODB_URL';

const duplicateKey = 11_000;

/** Whether a write failed because a unique index already has its key. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === duplicateKey;

/** The codes of a failed authentication: of MongoDB, and of Atlas. */
const authentication = [18, 8000];
const unauthorized = 13;
/** The codes of a member that is not the primary, or no longer. */
const notPrimary = [10_107, 11_602, 13_435, 13_436, 189, 91];
const maxTimeExpired = 50;

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

/** What the server says, for the codes that have a remedy of their own. */
const explainServerError = (error: MongoServerError, db: Db): StoreFailure | undefined => {
  const code = Number(error.code);
  if (authentication.includes(code)) {
    const source = db.client.options.credentials?.source ?? 'of its path';
    return {
      reason: 'user or password refused',
      remedy: `correct the user and the password in ${variable}, or its authSource: MongoDB looked for the user in the database "${source}"`,
    };
  }
  if (code === unauthorized) {
    const reason = describeRight(error);
    return reason === undefined
      ? {
          reason: 'it serves only users that it knows',
          remedy: `write the user and the password into ${variable}`,
        }
      : { reason, remedy: 'grant it: docs/operating.md, "MongoDB", has the rights of each user' };
  }
  if (notPrimary.includes(code))
    return {
      reason: 'the server is not the primary of its set',
      remedy: `name all members and replicaSet in ${variable}, without directConnection; a set without a primary needs a majority of its members`,
    };
  if (code === maxTimeExpired)
    return {
      reason: 'too slow: it gave up a read that took too long',
      remedy: 'look at its load; "artist-gateway catalogue indexes" creates missing indexes',
    };
  return undefined;
};

/** Why no server was found, where none of them failed itself. */
const explainSelection = ({ reason }: MongoServerSelectionError): StoreFailure | undefined => {
  if (reason === undefined || [...reason.servers.values()].some(({ error }) => error !== null))
    return undefined;
  if (reason.setName !== null && reason.servers.size === 0)
    return {
      reason: `none of its servers is of the replica set "${reason.setName}"`,
      remedy: `correct replicaSet in ${variable} ("rs.status().set" in mongosh is its name), or leave it out for a single server`,
    };
  if (reason.type === 'ReplicaSetNoPrimary')
    return {
      reason: 'its replica set has no primary',
      remedy: 'start its other members: a majority of them elects one',
    };
  return { reason: 'no answer', remedy: `start it, or correct host, port and tls in ${variable}` };
};

/** The options of files that the URL names, which the driver reads once, before it connects. */
const certificateOptions = ['tlsCAFile', 'tlsCertificateKeyFile', 'tlsCRLFile'] as const;

const explainCertificate = (error: unknown, db: Db): StoreFailure | undefined => {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  // Commands read and write other files while they are connected.
  const option =
    'path' in error && certificateOptions.find((one) => db.client.options[one] === error.path);
  if (option && 'path' in error)
    return {
      reason: `the certificate file ${String(error.path)} ${error.code === 'ENOENT' ? 'does not exist' : `cannot be read (${String(error.code)})`}`,
      remedy: `correct ${option} in ${variable}`,
    };
  return /^ERR_OSSL_/.test(String(error.code))
    ? {
        reason: `a certificate file cannot be used (${describeFailure(error)})`,
        remedy: `correct tlsCAFile or tlsCertificateKeyFile in ${variable}`,
      }
    : undefined;
};

/** What the server said, also where the driver reports only that it gave up its connections. */
const serverErrorIn = (error: unknown, depth = 0): MongoServerError | undefined => {
  if (error instanceof MongoServerError) return error;
  return error instanceof Error && depth < 4 ? serverErrorIn(error.cause, depth + 1) : undefined;
};

/** Why MongoDB failed, and what to do; of `db` the settings of its URL. */
export const explainMongoFailure = (error: unknown, db: Db): StoreFailure => {
  const said = serverErrorIn(error);
  const known =
    said !== undefined
      ? explainServerError(said, db)
      : error instanceof MongoServerSelectionError
        ? explainSelection(error)
        : explainCertificate(error, db);
  if (known !== undefined) return known;
  const reason = describeFailure(error);
  return { reason, remedy: remedyFor(reason, variable, db.client.options.tlsCAFile) };
};

/**
 * Whether no server can be reached. The look-up of a `mongodb+srv` address, and a certificate file,
 * fail with an error of Node, not of the driver.
 */
const isUnreachable = (error: unknown, db: Db): boolean =>
  error instanceof MongoServerSelectionError ||
  (!(error instanceof MongoError) &&
    (isNetworkFailure(error) || explainCertificate(error, db) !== undefined));

/**
 * Describes an error of the driver or the network in one line that says what to do; `undefined` for
 * other errors. Never repeats the URL: it may hold a password.
 */
export const describeMongoFailure = (error: unknown, db: Db): string | undefined => {
  const { reason, remedy } = explainMongoFailure(error, db);
  const isRefusal =
    error instanceof MongoServerError && authentication.includes(Number(error.code));
  if (isUnreachable(error, db) || isRefusal)
    return `MongoDB cannot be reached (${reason}): ${remedy}.`;
  if (!(error instanceof MongoError)) return undefined;
  if (error instanceof MongoNetworkError)
    return `The connection to MongoDB broke (${reason}): run the command again.`;
  if (isDuplicate(error))
    return `MongoDB holds the same key twice: remove one of the documents (${reason}).`;
  const hasRemedy =
    error instanceof MongoServerError && explainServerError(error, db) !== undefined;
  return hasRemedy ? `MongoDB refused (${reason}): ${remedy}.` : `MongoDB refused: ${reason}`;
};

/**
 * Creates a function for one client that settles as `work` does, with an error of the driver or the
 * network as a `StoreError`. When connecting fails the driver tells most callers only that it
 * closed its topology: `connectionFailure` returns why, and else the last error that had a reason.
 */
export const createStoreErrors = (db: Db, connectionFailure: () => Error | undefined) => {
  let lastReason: StoreError | undefined;
  return async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      const result = await work;
      lastReason = undefined;
      return result;
    } catch (error) {
      if (!(error instanceof MongoError) && !isUnreachable(error, db)) throw error;
      const cause = error instanceof MongoTopologyClosedError ? connectionFailure() : error;
      if (cause !== undefined) {
        const { reason, remedy } = explainMongoFailure(cause, db);
        lastReason = new StoreError(`MongoDB: ${reason}`, remedy);
      }
      throw lastReason ?? new StoreError('MongoDB: not connected');
    }
  };
};
