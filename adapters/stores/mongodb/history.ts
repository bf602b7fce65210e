import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Db } from 'mongodb';
import type { Artist, History, Series } from '../../../src/domain/model.ts';
import type { HistorySource, Log } from '../../../src/ports.ts';
import { StoreError } from '../../../src/runtime/store-error.ts';
import { parseSeries, toHistory } from '../documents/catalogue-documents.ts';
import { formatIssue } from '../documents/parse-result.ts';
import { maxTimeMS, readTwice } from './connection.ts';

export interface MongoHistoryOptions {
  /** Maximum time that a request waits, in milliseconds. */
  readonly timeoutMs: number;
  readonly log: Log;
}

/** Bounds of the cache of histories that arrived after their request had timed out: number, and lifetime in milliseconds. */
const lateHistories = { max: 32, ttl: 60_000 };

/** Rejects after a timeout; a value that arrives later goes to `keep`. */
const withTimeout = async <Value>(promise: Promise<Value>, timeoutMs: number, keep: (value: Value) => void) => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      promise.then(keep, () => {}); // after a failure the next request reads again
      reject(new StoreError(`MongoDB: no answer within ${timeoutMs} ms`));
    }, timeoutMs);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Reads histories from MongoDB on demand. Requests for the same history at the same time share one read. A read that takes
 * longer than a request may wait goes on, and answers the next request. An invalid series is left out and logged.
 */
export const createMongoHistory = (db: Db, { timeoutMs, log }: MongoHistoryOptions): HistorySource => {
  // Bound: 32; key: artist id, `updated_at`; lifetime: until the next request for it, at most 60 seconds.
  const late = new LRUCache<string, History>(lateHistories);
  const reading = new Map<string, Promise<History>>();

  const readSeries = async ({ id }: Artist): Promise<History> => {
    const projection = { artist_id: 1, song_id: 1, metric: 1, points: 1 };
    const series: Series[] = [];
    for await (const document of db.collection('history').find({ artist_id: id }, { projection, maxTimeMS })) {
      await setImmediate(); // parsing takes 1 to 2 ms a series, and an artist may have hundreds
      const parsed = parseSeries(document);
      if ('model' in parsed) series.push(parsed.model);
      else {
        const rejection = {
          collection: 'history',
          document: String(document['_id']),
          reason: formatIssue(parsed.issue),
        };
        log.warn(rejection, 'document left out');
      }
    }
    return toHistory(series);
  };

  return {
    async read(artist) {
      const key = `${artist.id} ${artist.updatedAt}`; // a history from before a change must not be served after it
      const history = late.get(key);
      if (history !== undefined) {
        late.delete(key);
        return history;
      }
      const running = reading.get(key) ?? readTwice(() => readSeries(artist)).finally(() => reading.delete(key));
      reading.set(key, running);
      return withTimeout(running, timeoutMs, (history) => late.set(key, history));
    },
  };
};
