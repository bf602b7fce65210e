import { setImmediate } from 'node:timers/promises';
import type { FindCursor } from 'mongodb';

/**
 * What a cursor finds, so many at a time at most; others have their turn between. Documents that have arrived are taken
 * without a promise for each.
 */
export async function* inBatches<Found>(cursor: FindCursor<Found>, atOnce: number): AsyncGenerator<Found[]> {
  try {
    while (await cursor.hasNext()) {
      yield cursor.readBufferedDocuments(atOnce);
      await setImmediate();
    }
  } finally {
    await cursor.close();
  }
}
