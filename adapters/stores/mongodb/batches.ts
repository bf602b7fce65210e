import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { BSON, type Collection, type Db, type Document, type FindOptions } from 'mongodb';
import { type NamedDocument, namedById } from '../documents/collection-reader.ts';
import { maxTimeMS } from './connection.ts';

// The driver refuses a reply in which any text is not UTF-8, also in a member that the gateway does
// not read, and throws for a regular expression that JavaScript does not know. Documents are
// therefore read as bytes.
const bsonOptions: BSON.DeserializeOptions = { validation: { utf8: false }, bsonRegExp: true };

/** Reads a document from its bytes. A byte that is not UTF-8 reads as U+FFFD. */
export const readBson = (bytes: Uint8Array): Document => BSON.deserialize(bytes, bsonOptions);

/** Reads the bytes of documents, all at once, for `readBson`. */
export const readRaw = (
  collection: Collection,
  filter: Document,
  options: Pick<FindOptions, 'projection'>,
): Promise<Uint8Array[]> =>
  collection.find<Uint8Array>(filter, { ...options, maxTimeMS, raw: true }).toArray();

/**
 * Reads the bytes of documents, for `readBson`, in batches of at most `batchSize`, and lets other
 * work run between batches. Buffered documents are taken together, without a promise for each.
 */
export async function* readInBatches(
  collection: Collection,
  filter: Document,
  batchSize: number,
  options: Pick<FindOptions, 'projection' | 'sort' | 'batchSize' | 'limit' | 'maxTimeMS'> = {},
): AsyncGenerator<Uint8Array[]> {
  const cursor = collection.find<Uint8Array>(filter, { maxTimeMS, ...options, raw: true });
  try {
    while (await cursor.hasNext()) {
      yield cursor.readBufferedDocuments(batchSize);
      await nextTurn();
    }
  } finally {
    await cursor.close();
  }
}

/**
 * Documents of a reply, read in one turn of the event loop: a long reply would be held over many.
 */
const namedBatchSize = 100;

/**
 * Hands the documents of a whole, small collection on in the order of `_id`, a batch at a time, and
 * returns their version.
 */
const readWhole = async (
  db: Db,
  collection: string,
  use: (batch: Uint8Array[]) => void,
): Promise<string> => {
  const digest = createHash('sha256');
  const options = { sort: { _id: 1 }, batchSize: namedBatchSize } as const;
  for await (const batch of readInBatches(db.collection(collection), {}, namedBatchSize, options)) {
    for (const bytes of batch) digest.update(bytes);
    use(batch);
  }
  return digest.digest('hex');
};

/** The version of a whole collection: equal versions mean equal bytes. Nothing is decoded. */
export const readVersion = (db: Db, collection: string): Promise<string> =>
  readWhole(db, collection, () => {});

/** Reads a whole collection, whose documents are named after `_id`, and its version. */
export const readNamedDocuments = async (db: Db, collection: string) => {
  const documents: NamedDocument[] = [];
  const version = await readWhole(db, collection, (batch) =>
    documents.push(...batch.map(readBson).map(namedById)),
  );
  return { version, documents };
};
