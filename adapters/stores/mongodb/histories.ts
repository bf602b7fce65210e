import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Db } from 'mongodb';
import type { DocumentFault } from '../../../src/domain/document-fault.ts';
import type { Artist, History } from '../../../src/domain/model.ts';
import type { HistorySource, Log } from '../../../src/ports.ts';
import { withStoreTimeout } from '../../../src/runtime/store-calls.ts';
import { StoreError } from '../../../src/runtime/store-error.ts';
import { seriesRules, toHistory } from '../documents/catalogue-documents.ts';
import { createDocumentReader, namedById } from '../documents/collection-reader.ts';
import { readBson, readRaw } from './batches.ts';
import { readTwice } from './connection.ts';
import {
  type Confirmations,
  createConfirmations,
  emptiedError,
  isEmptyCollection,
} from './empty-collections.ts';

interface MongoHistoryOptions {
  /** Maximum time that a request waits, in milliseconds. */
  readonly timeoutMs: number;
  /**
   * Timeout of a read, in milliseconds, after which the next request starts another read; by
   * default half a minute.
   */
  readonly maxReadMs?: number;
  readonly log: Log;
  /** State of empty collections, shared with the catalogue; by default used by this source only. */
  readonly confirmations?: Confirmations;
}

/** Maximum number of faults remembered as logged. */
const maxLogged = 1_000;

/**
 * Cache of histories that arrived after their request had timed out: maximum number, and lifetime
 * in milliseconds.
 */
const lateHistories = { max: 32, ttl: 60_000 };

/** Concurrent reads of histories, each over one connection. */
export const maxReads = 8;

/** A read shared by concurrent requests for one history. */
interface Reading {
  /** The bytes of its series. */
  readonly fetched: Promise<readonly Uint8Array[]>;
  readonly history: Promise<History>;
}

/**
 * Reads histories from MongoDB. Concurrent requests for one history share a read. The ninth
 * concurrent read fails immediately instead of queueing (decisions, "Freshness and caching"). A
 * read that outlives its request serves the next. Leaves out invalid series and logs them. Rejects
 * if all histories or all artists are suddenly gone.
 */
export const createMongoHistory = (db: Db, options: MongoHistoryOptions): HistorySource => {
  const { timeoutMs, maxReadMs = 30_000, log, confirmations = createConfirmations() } = options;
  // Bound: 1,000; key: fault; lifetime: process, until dropped (LRU).
  const logged = new LRUCache<string, true>({ max: maxLogged });
  // Bound: 32; key: artist id, `updated_at`; lifetime: until the next request for it, at most 60
  // seconds.
  const late = new LRUCache<string, History>(lateHistories);
  const reading = new Map<string, Reading>();
  let reads = 0;

  const logOnce = ({ event, ...facts }: DocumentFault): void => {
    const text = JSON.stringify(facts);
    if (!logged.has(text)) log.warn(facts, event);
    logged.set(text, true);
  };

  const refuseEmptied = async (): Promise<void> => {
    const collections = ['artists', 'history'] as const;
    const areEmpty = collections.map((collection) => isEmptyCollection(db, collection));
    if (!(await Promise.all(areEmpty)).includes(true)) return;
    const empty = await confirmations.read(db); // before the collections are read again
    for (const collection of collections)
      if (empty.observe(collection, await isEmptyCollection(db, collection)))
        throw emptiedError(collection);
  };

  const fetchSeries = async ({ id }: Artist): Promise<readonly Uint8Array[]> => {
    const projection = { artist_id: 1, song_id: 1, metric: 1, points: 1 };
    if (confirmations.suspect.has('artists')) await refuseEmptied();
    const series = await readRaw(db.collection('history'), { artist_id: id }, { projection });
    if (series.length === 0) await refuseEmptied();
    return series;
  };

  /** One document per turn: parsing takes up to 2 ms, and an artist may have hundreds. */
  const parseSeries = async (series: readonly Uint8Array[]): Promise<History> => {
    const reader = createDocumentReader(seriesRules, () => undefined);
    for (const bytes of series) {
      reader.add(namedById(readBson(bytes)));
      await nextTurn();
    }
    const { models, faults } = reader.result();
    faults.forEach(logOnce);
    return toHistory(models, faults.length === 0);
  };

  /** The timeout covers MongoDB only, not the parsing of a reply in this process. */
  const startReading = (artist: Artist, key: string): Reading => {
    if (reads >= maxReads)
      throw new StoreError(`MongoDB: ${maxReads} histories are being read, no other is begun`);
    reads += 1;
    const reply = readTwice(() => fetchSeries(artist));
    const fetched = withStoreTimeout(
      reply,
      maxReadMs,
      `MongoDB: no reply within ${maxReadMs} ms`,
    ).finally(() => {
      reads -= 1;
    });
    const history = fetched.then(parseSeries).finally(() => reading.delete(key));
    history.catch(() => {}); // a waiting request gets the failure itself
    reading.set(key, { fetched, history });
    return { fetched, history };
  };

  return {
    async read(artist) {
      // A history from before a change must not be served after the change.
      const key = `${artist.id} ${artist.updatedAt}`;
      const history = late.get(key);
      if (history !== undefined) {
        late.delete(key);
        return history;
      }
      const { fetched, history: parsed } = reading.get(key) ?? startReading(artist, key);
      await withStoreTimeout(fetched, timeoutMs, `MongoDB: no reply within ${timeoutMs} ms`, () => {
        // After a failure the next request reads again.
        parsed.then((arrived) => late.set(key, arrived)).catch(() => {});
      });
      return parsed;
    },
  };
};
