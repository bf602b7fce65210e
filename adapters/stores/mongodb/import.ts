import { type AnyBulkWriteOperation, BSON, type Collection, type Db, type Document, ObjectId } from 'mongodb';
import type { StoredDocument } from '../documents/stored-document.ts';
import { isDuplicate } from './errors.ts';

/** The database that an import reads and writes. */
export type ImportDatabase = Db;

/** The member that marks an artist while its series are being written; after an interrupted import it remains. */
export const unfinishedMark = 'series_unfinished';

/** A document that replaces a stored one. */
export interface Replacement {
  readonly _id: unknown;
  readonly document: StoredDocument;
}

/** A stored artist whose series change. */
export interface SeriesChange {
  readonly _id: unknown;
  /** Its new document, unless only series change. */
  readonly document?: StoredDocument;
  /** The instants of change to write before its series, and after them. */
  readonly begunAt: Date;
  readonly updatedAt: Date;
}

/** Everything to write for some artists. */
export interface ArtistChanges {
  readonly artistsWithSeries: readonly SeriesChange[];
  readonly addedSeries: readonly StoredDocument[];
  readonly replacedSeries: readonly Replacement[];
  readonly removedSeries: readonly unknown[];
  readonly addedArtists: readonly StoredDocument[];
  /** Stored artists that change without their series. */
  readonly replacedArtists: readonly Replacement[];
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

const byId = (_id: unknown): Document => ({ _id }) as Document; // as above

const beginOperation = ({ _id, document, begunAt }: SeriesChange): AnyBulkWriteOperation => {
  const begun = { updated_at: begunAt, [unfinishedMark]: true };
  return document === undefined
    ? { updateOne: { filter: byId(_id), update: { $set: begun } } }
    : { replaceOne: { filter: byId(_id), replacement: { ...document, ...begun } } };
};

const finishOperation = ({ _id, updatedAt }: SeriesChange): AnyBulkWriteOperation => ({
  updateOne: {
    filter: byId(_id),
    update: { $set: { updated_at: updatedAt }, $unset: { [unfinishedMark]: '' } },
  },
});

/**
 * Writes the changes of some artists. A stored artist is written first, with a mark; then its series; then its last instant of
 * change, which makes gateways reload it. So no gateway, whenever it reads, finds new series of an artist with old data, and
 * after an interruption the mark shows a later import which artists it must still touch. A new artist is written after its
 * series: until then no gateway knows it.
 */
export const writeArtistChanges = async (db: Db, changes: ArtistChanges): Promise<void> => {
  const [artists, history] = [db.collection('artists'), db.collection('history')];
  await write(artists, changes.artistsWithSeries.map(beginOperation));
  await add(history, changes.addedSeries, seriesKey);
  await replace(history, changes.replacedSeries);
  await remove(history, changes.removedSeries);
  await add(artists, changes.addedArtists, artistKey);
  await replace(artists, changes.replacedArtists);
  await write(artists, changes.artistsWithSeries.map(finishOperation));
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
