import type { Db } from 'mongodb';
import { readBson, readInBatches } from './batches.ts';

type CatalogueCollectionName = 'artists' | 'history' | 'labels';

/**
 * One document per collection that an import emptied on purpose: `{_id: collection, emptied_at}`.
 * Gateways believe a confirmation that they did not see while the collection had documents.
 */
const confirmations = 'catalogue_confirmations';

/**
 * Creates the reader of the confirmations that the operator stored. What it knows is shared by all
 * that read the collections, each over a connection of its own.
 */
export const createConfirmations = () => {
  const before = new Map<string, string>();
  return {
    /** The confirmation that each collection had when it last had documents. */
    before,
    /**
     * Reads them. To be called before the collections are read, else a new confirmation may pass
     * for an old one.
     */
    async read(db: Db) {
      const confirmed = new Map<unknown, string>();
      for await (const batch of readInBatches(db.collection(confirmations), {}, 10)) {
        for (const { _id, emptied_at } of batch.map(readBson)) {
          confirmed.set(_id, emptied_at instanceof Date ? String(emptied_at.getTime()) : '');
        }
      }
      return {
        /**
         * Takes note of what a read of a collection found. Returns whether it is suspect: empty and
         * not confirmed, though it had documents when it was last read.
         */
        observe(collection: CatalogueCollectionName, isEmpty: boolean): boolean {
          const confirmation = confirmed.get(collection) ?? '';
          if (!isEmpty) before.set(collection, confirmation);
          return isEmpty && before.get(collection) === confirmation;
        },
      };
    },
  };
};

export type Confirmations = ReturnType<typeof createConfirmations>;
/** Decides about empty collections by the confirmations of one moment. */
export type EmptyCollections = Awaited<ReturnType<Confirmations['read']>>;

/** Whether a collection has no document. */
export const isEmptyCollection = async (
  db: Db,
  collection: CatalogueCollectionName,
): Promise<boolean> => {
  const options = { projection: { _id: 1 }, limit: 1 };
  for await (const batch of readInBatches(db.collection(collection), {}, 1, options))
    return batch.length === 0;
  return true;
};
