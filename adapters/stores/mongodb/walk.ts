import type { Db } from 'mongodb';
import type { StoredDocument } from '../documents/stored-document.ts';

/** Documents per reply. */
const batchSize = 200;

export interface WalkOptions {
  /** Members to read; all without it. */
  readonly members?: readonly string[];
  /** Members to order by, ascending. */
  readonly order?: readonly string[];
}

/** Visits every document of a collection; at most one reply is in memory. */
export const walkDocuments = async (
  db: Db,
  collection: string,
  visit: (document: StoredDocument) => void | Promise<void>,
  { members = [], order = [] }: WalkOptions = {},
): Promise<void> => {
  const projection = Object.fromEntries(members.map((member) => [member, 1]));
  const sort = Object.fromEntries(order.map((member) => [member, 1 as const]));
  const ordered = order.length === 0 ? {} : { sort, allowDiskUse: true };
  for await (const document of db.collection(collection).find({}, { batchSize, projection, ...ordered })) {
    await visit(document);
  }
};
