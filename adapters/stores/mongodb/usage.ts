import type { AnyBulkWriteOperation, Collection, Db } from 'mongodb';
import type { UsageStore } from '../../../src/ports.ts';
import { dayDocument, hourDocument, type TotalMembers } from '../documents/usage-documents.ts';

interface Total extends TotalMembers {
  readonly _id: string;
}

/**
 * Replaces a lower total. The server may run an abandoned write after a later write: it then finds
 * a higher total and fails as a duplicate.
 */
const put = (_id: string, replacement: TotalMembers): AnyBulkWriteOperation<Total> => ({
  replaceOne: {
    filter: { _id, requests: { $lte: replacement.requests } },
    replacement,
    upsert: true,
  },
});

const write = async (
  collection: Collection<Total>,
  operations: AnyBulkWriteOperation<Total>[],
): Promise<void> => {
  if (operations.length > 0) await collection.bulkWrite(operations, { ordered: false });
};

/** Writes the collections `usage` and `usage_minutes`. No two processes write the same document. */
export const createMongoUsage = (
  db: Db,
  settings?: Readonly<Record<string, string>>,
): UsageStore => ({
  async write({ days, hours }) {
    await write(
      db.collection<Total>('usage'),
      days.map((total) => put(total.id, dayDocument(total))),
    );
    await write(
      db.collection<Total>('usage_minutes'),
      hours.map((total) =>
        put(total.id, { ...hourDocument(total), ...(settings && { settings }) }),
      ),
    );
  },
});
