import type { Db } from 'mongodb';
import type { StoredDocument } from './import.ts';

/** Documents per reply. */
const batchSize = 200;

/** Visits every document of a collection; at most one reply is in memory. */
export const walkDocuments = async (
  db: Db,
  collection: string,
  visit: (document: StoredDocument) => void,
): Promise<void> => {
  for await (const document of db.collection(collection).find({}, { batchSize })) visit(document);
};
