import type { Db } from 'mongodb';
import { readBson, readInBatches } from './batches.ts';

type CatalogueCollectionName = 'artists' | 'history' | 'labels';

/**
 * One document per collection that an import emptied on purpose: `{_id: collection, emptied_at}`.
 * Gateways accept a confirmation that is newer than the last confirmation seen while the collection
 * had documents.
 */
const confirmations = 'catalogue_confirmations';

/**
 * Creates the reader of the operator's confirmations. All readers of the collections share its
 * state; each reads over its own connection.
 */
export const createConfirmations = () => {
  const before = new Map<string, string>();
  const suspect = new Set<CatalogueCollectionName>();
  return {
    /** Each collection's confirmation when it last had documents. */
    before,
    /** Collections that were suspect at the last read. */
    suspect,
    /**
     * Reads the confirmations. Call it before reading the collections, otherwise a new confirmation
     * could pass for an old one.
     */
    async read(db: Db) {
      const confirmed = new Map<unknown, string>();
      for await (const batch of readInBatches(db.collection(confirmations), {}, 10)) {
        for (const { _id, emptied_at } of batch.map(readBson)) {
          confirmed.set(_id, emptied_at instanceof Date ? String(emptied_at.getTime()) : '');
        }
      }
      return {
        /** Each collection's current confirmation. */
        confirmed,
        /**
         * Records the result of reading a collection. Returns true if it is suspect: empty, but
         * with documents at the last read, and without a newer confirmation. A backup may restore
         * an older confirmation, and a lost database has none.
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
/** Classifies empty collections by the confirmations read at one time. */
export type EmptyCollections = Awaited<ReturnType<Confirmations['read']>>;

/** Why a suspect collection is not read. */
export const emptiedError = (collection: CatalogueCollectionName): Error =>
  new Error(`the collection ${collection} is empty, and no import has confirmed it`);

export const isEmptyCollection = async (
  db: Db,
  collection: CatalogueCollectionName,
): Promise<boolean> => {
  const options = { projection: { _id: 1 }, limit: 1 };
  for await (const batch of readInBatches(db.collection(collection), {}, 1, options))
    return batch.length === 0;
  return true;
};
