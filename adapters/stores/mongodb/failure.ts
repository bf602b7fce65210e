import { MongoError, MongoNetworkError, MongoServerError, MongoServerSelectionError } from 'mongodb';

const duplicateKey = 11_000;

/** Whether a write failed because a unique index already has its key. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === duplicateKey;

/**
 * Describes an error of the driver in one line that says what to do; `undefined` for other errors. Never repeats the URL: it
 * may hold a password.
 */
export const describeMongoFailure = (error: unknown): string | undefined => {
  if (!(error instanceof MongoError)) return undefined;
  const reason = error.message;
  if (error instanceof MongoServerSelectionError) {
    return `MongoDB cannot be reached (${reason}): start it, or correct MONGODB_URL.`;
  }
  if (error instanceof MongoNetworkError) return `The connection to MongoDB broke (${reason}): run the command again.`;
  if (isDuplicate(error)) return `MongoDB holds the same key twice: remove one of the documents (${reason}).`;
  return `MongoDB refused: ${reason}`;
};
