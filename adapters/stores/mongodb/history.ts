import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Db } from 'mongodb';
import type { Artist, History, Series } from '../../../src/domain/model.ts';
import type { HistorySource, Log } from '../../../src/ports.ts';
import { parseSeries, toHistory } from '../documents/catalogue-documents.ts';
import { formatIssue } from '../documents/parse-result.ts';
import { maxTimeMS, readTwice } from './connection.ts';

export interface MongoHistoryOptions {
  /** The longest a request waits, in milliseconds. */
  readonly timeoutMs: number;
  readonly log: Log;
}

/** Histories that came too late for those who asked, and wait so long for somebody to ask again. */
const late = { max: 32, ttl: 60_000 };

const within = async <Value>(promise: Promise<Value>, timeoutMs: number, keep: (value: Value) => void) => {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      promise.then(keep, () => {}); // whoever waits for it learns of a failure
      reject(new Error(`MongoDB did not answer within ${timeoutMs} ms`));
    }, timeoutMs);
  });
  try {
    return await Promise.race([promise, tooLate]);
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Histories in MongoDB, read on demand. Requests for the same history at the same time share one read; one that takes longer
 * than a request may wait is there for the next who asks. A bad series is left out and reported.
 */
export const createMongoHistory = (db: Db, { timeoutMs, log }: MongoHistoryOptions): HistorySource => {
  const tooLate = new LRUCache<string, History>(late);
  const reading = new Map<string, Promise<History>>();

  const readSeries = async ({ id }: Artist): Promise<History> => {
    const projection = { artist_id: 1, song_id: 1, metric: 1, points: 1 };
    const series: Series[] = [];
    for await (const document of db.collection('history').find({ artist_id: id }, { projection, maxTimeMS })) {
      await setImmediate(); // a series takes a millisecond or two, and an artist may have hundreds
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
      const key = `${artist.id} ${artist.updatedAt}`; // what was read before a change is of no use after it
      const kept = tooLate.get(key);
      if (kept !== undefined) {
        tooLate.delete(key);
        return kept;
      }
      const running = reading.get(key) ?? readTwice(() => readSeries(artist)).finally(() => reading.delete(key));
      reading.set(key, running);
      return within(running, timeoutMs, (history) => tooLate.set(key, history));
    },
  };
};
