import { type MongoConnection, openMongo } from '../stores/mongodb/connection.ts';
import { describeMongoFailure } from '../stores/mongodb/failure.ts';
import { storeSettings } from './settings.ts';
import { UsageError } from './terminal/usage-error.ts';

export type Database = MongoConnection['db'];

/** A slow server may take its time over a batch of writes; a dead one is noticed in the end. */
const patienceMs = 120_000;

const open = (url: string): MongoConnection => {
  try {
    return openMongo(url, { socketTimeoutMS: patienceMs });
  } catch (cause) {
    // What the driver says may repeat a part of the URL, and a password may stand in it.
    const message = 'MONGODB_URL is not usable: it must be a mongodb:// URL with the database in its path.';
    throw new UsageError(message, { cause });
  }
};

/** Does something with the database that `MONGODB_URL` names, and closes it. What fails is told in one line. */
export const withDatabase = async <Result>(work: (db: Database) => Promise<Result>): Promise<Result> => {
  const { mongodbUrl } = storeSettings();
  if (mongodbUrl === undefined) {
    throw new UsageError('MONGODB_URL is not set: this command needs it, with the database in its path.');
  }
  const connection = open(mongodbUrl);
  try {
    await connection.db.command({ ping: 1 });
    return await work(connection.db);
  } catch (error) {
    const failure = describeMongoFailure(error);
    throw failure === undefined ? error : new Error(failure, { cause: error });
  } finally {
    await connection.close();
  }
};
