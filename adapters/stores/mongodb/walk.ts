import type { Db } from 'mongodb';
import type { StoredDocument } from './import.ts';

/** Documents asked for at once. */
const batchSize = 200;

/** Looks at every document of a collection, one after the other, so that no more than a few are in memory. */
export const walkDocuments = async (
  db: Db,
  collection: string,
  visit: (document: StoredDocument) => void,
): Promise<void> => {
  for await (const document of db.collection(collection).find({}, { batchSize })) visit(document);
};
