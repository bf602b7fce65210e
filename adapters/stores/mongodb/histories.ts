import { LRUCache } from 'lru-cache';
import type { Db } from 'mongodb';
import type { DocumentFault } from '../../../src/domain/document-fault.ts';
import type { Artist, History } from '../../../src/domain/model.ts';
import type { HistorySource, Log } from '../../../src/ports.ts';
import { StoreError } from '../../../src/runtime/store-error.ts';
import { seriesRules, toHistory } from '../documents/catalogue-documents.ts';
import { createDocumentReader, namedById } from '../documents/collection-reader.ts';
import { readInBatches } from './batches.ts';
import { readTwice } from './connection.ts';
import { type Confirmations, createConfirmations, isEmptyCollection } from './empty-collections.ts';

export interface MongoHistoryOptions {
  /** Maximum time that a request waits, in milliseconds. */
  readonly timeoutMs: number;
  readonly log: Log;
  /** What the catalogue knows of empty collections; by default what this source finds itself. */
  readonly confirmations?: Confirmations;
}

/** Faults that were logged and are not logged again. */
const maxLogged = 1_000;

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
 * longer than a request may wait goes on, and answers the next request. An invalid series is left out and logged. Rejects when
 * the whole collection is suddenly empty: an artist without a history would pass for one whose history is not readable.
 */
export const createMongoHistory = (db: Db, options: MongoHistoryOptions): HistorySource => {
  const { timeoutMs, log, confirmations = createConfirmations(db) } = options;
  // Bound: 1,000; key: fault; lifetime: process, until dropped (LRU).
  const logged = new LRUCache<string, true>({ max: maxLogged });
  // Bound: 32; key: artist id, `updated_at`; lifetime: until the next request for it, at most 60 seconds.
  const late = new LRUCache<string, History>(lateHistories);
  const reading = new Map<string, Promise<History>>();

  const logOnce = ({ event, ...facts }: DocumentFault): void => {
    const text = JSON.stringify(facts);
    if (!logged.has(text)) log.warn(facts, event);
    logged.set(text, true);
  };

  const refuseEmptied = async (): Promise<void> => {
    const empty = await confirmations.read();
    if (!empty.isSuspect('history', await isEmptyCollection(db, 'history'))) return;
    throw new Error('the collection history is empty, and no import has confirmed it');
  };

  const readSeries = async ({ id }: Artist): Promise<History> => {
    const projection = { artist_id: 1, song_id: 1, metric: 1, points: 1 };
    const reader = createDocumentReader(seriesRules, () => undefined);
    // One document a turn: parsing takes up to 2 ms, and an artist may have hundreds.
    for await (const documents of readInBatches(db.collection('history'), { artist_id: id }, 1, { projection })) {
      for (const document of documents) reader.add(namedById(document));
    }
    const { models, faults } = reader.result();
    faults.forEach(logOnce);
    if (models.length === 0) await refuseEmptied();
    return toHistory(models);
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
