import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { BSON, type Collection, type Db, type Document, type FindOptions } from 'mongodb';
import { type NamedDocument, namedById } from '../documents/collection-reader.ts';
import { maxTimeMS } from './connection.ts';

// The driver rejects a whole reply if any text is not UTF-8, even in an unused field, and throws
// for a regular expression that JavaScript does not support. So documents are read as bytes.
const bsonOptions: BSON.DeserializeOptions = { validation: { utf8: false }, bsonRegExp: true };

/** Reads a document from its bytes. A byte that is not UTF-8 reads as U+FFFD. */
export const readBson = (bytes: Uint8Array): Document => BSON.deserialize(bytes, bsonOptions);

/** Reads the bytes of all documents, for `readBson`. */
export const readRaw = (
  collection: Collection,
  filter: Document,
  options: Pick<FindOptions, 'projection'>,
): Promise<Uint8Array[]> =>
  collection.find<Uint8Array>(filter, { ...options, maxTimeMS, raw: true }).toArray();

/**
 * Reads the bytes of documents, for `readBson`, in batches of at most `batchSize`, with other work
 * between batches. Buffered documents come together, without a promise each.
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

/** Documents read per turn of the event loop, so that a long reply is spread over many turns. */
const namedBatchSize = 100;

/** Documents of a reply: thousands of keys take few round trips to a distant MongoDB. */
const namedReplySize = 1_000;

/**
 * Passes the documents of a small collection on in the order of `_id`, in batches, and returns the
 * collection's version.
 */
const readWhole = async (
  db: Db,
  collection: string,
  use: (batch: Uint8Array[]) => void,
): Promise<string> => {
  const digest = createHash('sha256');
  const options = { sort: { _id: 1 }, batchSize: namedReplySize } as const;
  for await (const batch of readInBatches(db.collection(collection), {}, namedBatchSize, options)) {
    for (const bytes of batch) digest.update(bytes);
    use(batch);
  }
  return digest.digest('hex');
};

/** The version of a whole collection: equal versions mean equal bytes. Nothing is decoded. */
export const readVersion = (db: Db, collection: string): Promise<string> =>
  readWhole(db, collection, () => {});

/** Reads a whole collection and its version. Documents are named by `_id`. */
export const readNamedDocuments = async (db: Db, collection: string) => {
  const documents: NamedDocument[] = [];
  const version = await readWhole(db, collection, (batch) =>
    documents.push(...batch.map(readBson).map(namedById)),
  );
  return { version, documents };
};
