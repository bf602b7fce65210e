import { setImmediate } from 'node:timers/promises';
import type { FindCursor } from 'mongodb';

/**
 * Yields the documents of a cursor in batches of at most `batchSize`, and lets other work run between batches. Buffered
 * documents are taken together, without a promise for each.
 */
export async function* inBatches<Found>(cursor: FindCursor<Found>, batchSize: number): AsyncGenerator<Found[]> {
  try {
    while (await cursor.hasNext()) {
      yield cursor.readBufferedDocuments(batchSize);
      await setImmediate();
    }
  } finally {
    await cursor.close();
  }
}
