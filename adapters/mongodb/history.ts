import { LRUCache } from 'lru-cache';
import type { Db } from 'mongodb';
import type { Artist, History, Series } from '../../src/model.ts';
import type { HistorySource, Log } from '../../src/ports.ts';
import { parseSeries, toHistory } from '../documents.ts';
import { maxTimeMS, readTwice } from './connection.ts';

export interface MongoHistoryOptions {
  /** Bound of the cache in bytes, as estimated from the number of points. */
  readonly cacheBytes: number;
  /** The longest a request waits, in milliseconds; a read that takes longer still fills the cache. */
  readonly timeoutMs: number;
  readonly log: Log;
}

/** A point as an object and as JSON text, and what a series adds, both measured generously. */
const bytesPerPoint = 160;
const bytesPerSeries = 400;

const sizeOf = ({ series }: History): number =>
  series.reduce((sum, { points }) => sum + bytesPerSeries + points.length * bytesPerPoint, bytesPerSeries);

const within = async <Value>(promise: Promise<Value>, timeoutMs: number): Promise<Value> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`MongoDB did not answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Histories in MongoDB, read on demand and kept in a bounded cache until their artist's `updated_at` changes. Requests for
 * the same history at the same time share one read. A bad series is left out and reported.
 */
export const createMongoHistory = (db: Db, { cacheBytes, timeoutMs, log }: MongoHistoryOptions): HistorySource => {
  const cache = new LRUCache<string, History>({ maxSize: cacheBytes, sizeCalculation: sizeOf });
  const reading = new Map<string, Promise<History>>();

  const readSeries = async ({ id }: Artist): Promise<History> => {
    const projection = { artist_id: 1, song_id: 1, metric: 1, points: 1 };
    const series: Series[] = [];
    for await (const document of db.collection('history').find({ artist_id: id }, { projection, maxTimeMS })) {
      const parsed = parseSeries(document);
      if ('model' in parsed) series.push(parsed.model);
      else {
        const rejection = { collection: 'history', document: String(document['_id']), reason: parsed.reason };
        log.warn(rejection, 'document left out');
      }
    }
    return toHistory(series);
  };

  const fill = async (key: string, artist: Artist): Promise<History> => {
    const history = await readTwice(() => readSeries(artist));
    cache.set(key, history);
    return history;
  };

  return {
    async read(artist) {
      // A change gives the artist another key; what was kept under the old one is never asked for again and falls out.
      const key = `${artist.id} ${artist.updatedAt}`;
      const kept = cache.get(key);
      if (kept !== undefined) return kept;
      const running = reading.get(key) ?? fill(key, artist).finally(() => reading.delete(key));
      reading.set(key, running);
      return within(running, timeoutMs);
    },
  };
};
