import { type AnyBulkWriteOperation, BSON, type Collection, type Db, type Document, ObjectId } from 'mongodb';
import { isDuplicate } from './failure.ts';

/** The database that an import reads and writes. */
export type ImportDatabase = Db;

/** A document of any collection, as MongoDB stores it. */
export type StoredDocument = Readonly<Record<string, unknown>>;

/** The member that marks an artist while its series are being written; after an interrupted import it remains. */
export const unfinishedMark = 'series_unfinished';

/** A document that replaces a stored one. */
export interface Replacement {
  readonly _id: unknown;
  readonly document: StoredDocument;
}

/** Everything to write for some artists. */
export interface ArtistChanges {
  /** Stable ids of stored artists whose series change. */
  readonly unfinished: readonly string[];
  readonly addedSeries: readonly StoredDocument[];
  readonly replacedSeries: readonly Replacement[];
  readonly removedSeries: readonly unknown[];
  readonly addedArtists: readonly StoredDocument[];
  readonly replacedArtists: readonly Replacement[];
  /** Artists of which only series changed, with their new instant of change. */
  readonly touched: readonly { readonly _id: unknown; readonly updatedAt: Date }[];
}

/** Bytes of one stored document at most. */
export const maxStoredBytes = 16 * 2 ** 20;

/** The bytes that MongoDB would store for a document. */
export const storedBytes = (document: StoredDocument): number => BSON.calculateObjectSize({ ...document });

/** Documents per request: enough to save round trips, few enough for a slow server to answer in time. */
const batchSize = 200;

const sendInBatches = async <Item>(items: readonly Item[], send: (batch: readonly Item[]) => Promise<unknown>) => {
  for (let start = 0; start < items.length; start += batchSize) await send(items.slice(start, start + batchSize));
};

/** The filter that finds a document by the unique key of its collection. */
type NaturalKey = (document: StoredDocument) => Document;

const seriesKey: NaturalKey = ({ artist_id, song_id, metric }) => ({ artist_id, song_id: song_id ?? null, metric });
const artistKey: NaturalKey = ({ id }) => ({ id });
const labelKey: NaturalKey = ({ name }) => ({ name });

/** Adds documents. Replaces documents that a concurrent import has added meanwhile. */
const add = (collection: Collection, documents: readonly StoredDocument[], keyOf: NaturalKey): Promise<void> =>
  sendInBatches(documents, async (batch) => {
    try {
      await collection.insertMany(batch.map((document) => ({ ...document })));
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      await collection.bulkWrite(
        batch.map((document) => ({
          replaceOne: { filter: keyOf(document), replacement: { ...document }, upsert: true },
        })),
      );
    }
  });

const write = (collection: Collection, operations: readonly AnyBulkWriteOperation[]): Promise<void> =>
  sendInBatches(operations, (batch) => collection.bulkWrite([...batch]));

const replace = (collection: Collection, replacements: readonly Replacement[]): Promise<void> =>
  write(
    collection,
    replacements.map(({ _id, document }) => ({
      replaceOne: { filter: { _id } as Document, replacement: { ...document } }, // the driver types _id as ObjectId; this one was read from the collection
    })),
  );

const remove = (collection: Collection, ids: readonly unknown[]): Promise<void> =>
  sendInBatches(ids, (batch) => collection.deleteMany({ _id: { $in: batch } } as Document)); // as above

/**
 * Writes the changes of some artists: first their series, then the artists, whose instant of change makes gateways reload
 * them. Marks an artist before it writes a series of it. An interruption at any point leaves artists that gateways read as
 * before, and the mark shows a later import which artists it must still touch.
 */
export const writeArtistChanges = async (db: Db, changes: ArtistChanges): Promise<void> => {
  const [artists, history] = [db.collection('artists'), db.collection('history')];
  await sendInBatches(changes.unfinished, (ids) =>
    artists.updateMany({ id: { $in: ids } }, { $set: { [unfinishedMark]: true } }),
  );
  await add(history, changes.addedSeries, seriesKey);
  await replace(history, changes.replacedSeries);
  await remove(history, changes.removedSeries);
  await add(artists, changes.addedArtists, artistKey);
  await replace(artists, changes.replacedArtists);
  const touches = changes.touched.map(({ _id, updatedAt }) => ({
    updateOne: {
      filter: { _id } as Document, // as above
      update: { $set: { updated_at: updatedAt }, $unset: { [unfinishedMark]: '' } },
    },
  }));
  await write(artists, touches);
};

/** Writes labels. */
export const writeLabels = async (
  db: Db,
  added: readonly StoredDocument[],
  replaced: readonly Replacement[],
): Promise<void> => {
  await add(db.collection('labels'), added, labelKey);
  await replace(db.collection('labels'), replaced);
};

/** Removes documents by their `_id`. */
export const removeDocuments = (db: Db, collection: string, ids: readonly unknown[]): Promise<void> =>
  remove(db.collection(collection), ids);

const hexId = /^[0-9a-f]{24}$/i;

/** Reads the stored artists that have one of these stable ids or document ids. */
export const readStoredArtists = (
  db: Db,
  ids: readonly string[],
  documentIds: readonly string[],
): Promise<StoredDocument[]> => {
  // A file holds an ObjectId as its hex text.
  const objectIds = documentIds.filter((id) => hexId.test(id)).map((id) => new ObjectId(id));
  const byEither: Document = { $or: [{ id: { $in: ids } }, { _id: { $in: [...documentIds, ...objectIds] } }] };
  return db.collection('artists').find(byEither).toArray();
};

/** Reads the stored series of these artists, by stable id. */
export const readStoredSeries = (db: Db, artistIds: readonly string[]): Promise<StoredDocument[]> =>
  db
    .collection('history')
    .find({ artist_id: { $in: artistIds } })
    .toArray();

/** Reads `_id` and the named members of every document of a collection; with no names, every member. */
export const readMembers = (db: Db, collection: string, members: readonly string[]): Promise<StoredDocument[]> => {
  const projection = Object.fromEntries(members.map((member) => [member, 1]));
  return db.collection(collection).find({}, { projection }).toArray();
};
