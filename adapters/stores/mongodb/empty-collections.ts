import type { Db } from 'mongodb';
import { readBson, readInBatches } from './batches.ts';

type CatalogueCollectionName = 'artists' | 'history' | 'labels';

/**
 * One document per collection that an import emptied on purpose: `{_id: collection, emptied_at}`.
 * Gateways believe a confirmation that is newer than the one they saw while the collection had
 * documents.
 */
const confirmations = 'catalogue_confirmations';

/**
 * Creates the reader of the confirmations that the operator stored. What it knows is shared by all
 * that read the collections, each over a connection of its own.
 */
export const createConfirmations = () => {
  const before = new Map<string, string>();
  const suspect = new Set<CatalogueCollectionName>();
  return {
    /** The confirmation that each collection had when it last had documents. */
    before,
    /** The collections that were suspect when they were last read. */
    suspect,
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
        /** The confirmation that each collection has now. */
        confirmed,
        /**
         * Takes note of what a read of a collection found. Returns whether it is suspect: empty,
         * though it had documents when it was last read, without a confirmation that is newer. A
         * backup may bring back an older one, and a lost database has none.
         */
        observe(collection: CatalogueCollectionName, isEmpty: boolean): boolean {
          const confirmation = confirmed.get(collection) ?? '';
          if (!isEmpty) before.set(collection, confirmation);
          const known = before.get(collection);
          const isSuspect = isEmpty && known !== undefined && Number(confirmation) <= Number(known);
          if (isSuspect) suspect.add(collection);
          else suspect.delete(collection);
          return isSuspect;
        },
      };
    },
  };
};

export type Confirmations = ReturnType<typeof createConfirmations>;
/** Decides about empty collections by the confirmations of one moment. */
export type EmptyCollections = Awaited<ReturnType<Confirmations['read']>>;

/** Why a collection that is suspect is not read. */
export const emptiedError = (collection: CatalogueCollectionName): Error =>
  new Error(`the collection ${collection} is empty, and no import has confirmed it`);

/** True if a collection has no document. */
export const isEmptyCollection = async (
  db: Db,
  collection: CatalogueCollectionName,
): Promise<boolean> => {
  const options = { projection: { _id: 1 }, limit: 1 };
  for await (const batch of readInBatches(db.collection(collection), {}, 1, options))
    return batch.length === 0;
  return true;
};
