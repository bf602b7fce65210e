import type { Db } from 'mongodb';
import type { StoredDocument } from './import.ts';

/** Documents per reply. */
const batchSize = 200;

/** Visits every document of a collection, with the named members or all; at most one reply is in memory. */
export const walkDocuments = async (
  db: Db,
  collection: string,
  visit: (document: StoredDocument) => void,
  members: readonly string[] = [],
): Promise<void> => {
  const projection = Object.fromEntries(members.map((member) => [member, 1]));
  for await (const document of db.collection(collection).find({}, { batchSize, projection })) visit(document);
};
