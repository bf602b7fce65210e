import { type AnyBulkWriteOperation, type Collection, type Db, type Document, ObjectId } from 'mongodb';
import { isDuplicate } from './failure.ts';

/** A document of any collection, as MongoDB holds it. */
export type StoredDocument = Readonly<Record<string, unknown>>;

/** The mark of an artist whose series are being written: it stays when that is cut short, and is taken off in the end. */
export const unfinished = 'series_unfinished';

/** A document that takes the place of a stored one. */
export interface Replacement {
  readonly _id: unknown;
  readonly document: StoredDocument;
}

/** Everything that changes about some artists. */
export interface ArtistChanges {
  /** Stable ids of stored artists whose series change. */
  readonly unfinished: readonly string[];
  readonly addedSeries: readonly StoredDocument[];
  readonly replacedSeries: readonly Replacement[];
  readonly removedSeries: readonly unknown[];
  readonly addedArtists: readonly StoredDocument[];
  readonly replacedArtists: readonly Replacement[];
  /** Artists of which only a series changed, and the instant that tells so. */
  readonly touched: readonly { readonly _id: unknown; readonly updatedAt: Date }[];
}

/** Documents sent at once: large enough to save round trips, small enough for a slow server to answer in time. */
const batch = 200;

const inBatches = async <Item>(items: readonly Item[], send: (some: readonly Item[]) => Promise<unknown>) => {
  for (let start = 0; start < items.length; start += batch) await send(items.slice(start, start + batch));
};

/** What tells a document from every other in its collection, by its unique index. */
type NaturalKey = (document: StoredDocument) => Document;

const seriesKey: NaturalKey = ({ artist_id, song_id, metric }) => ({ artist_id, song_id: song_id ?? null, metric });
const artistKey: NaturalKey = ({ id }) => ({ id });
const labelKey: NaturalKey = ({ name }) => ({ name });

/** Adds documents; where somebody else has added one meanwhile, ours takes its place. */
const add = (collection: Collection, documents: readonly StoredDocument[], keyOf: NaturalKey): Promise<void> =>
  inBatches(documents, async (some) => {
    try {
      await collection.insertMany(some.map((document) => ({ ...document })));
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      await collection.bulkWrite(
        some.map((document) => ({
          replaceOne: { filter: keyOf(document), replacement: { ...document }, upsert: true },
        })),
      );
    }
  });

const write = (collection: Collection, operations: readonly AnyBulkWriteOperation[]): Promise<void> =>
  inBatches(operations, (some) => collection.bulkWrite([...some]));

const replace = (collection: Collection, replacements: readonly Replacement[]): Promise<void> =>
  write(
    collection,
    replacements.map(({ _id, document }) => ({
      replaceOne: { filter: { _id } as Document, replacement: { ...document } }, // an id is of the type it was read with
    })),
  );

const remove = (collection: Collection, ids: readonly unknown[]): Promise<void> =>
  inBatches(ids, (some) => collection.deleteMany({ _id: { $in: some } } as Document)); // as above

/**
 * Writes the changes of some artists: their series first, then the artists themselves, by whose instant of change followers
 * notice. An artist is marked before a series of it is written: cut short at any point, this leaves artists that read as
 * before, and a later import knows by the mark which of them it has yet to touch.
 */
export const writeArtistChanges = async (db: Db, changes: ArtistChanges): Promise<void> => {
  const [artists, history] = [db.collection('artists'), db.collection('history')];
  await inBatches(changes.unfinished, (ids) =>
    artists.updateMany({ id: { $in: ids } }, { $set: { [unfinished]: true } }),
  );
  await add(history, changes.addedSeries, seriesKey);
  await replace(history, changes.replacedSeries);
  await remove(history, changes.removedSeries);
  await add(artists, changes.addedArtists, artistKey);
  await replace(artists, changes.replacedArtists);
  const touches = changes.touched.map(({ _id, updatedAt }) => ({
    updateOne: {
      filter: { _id } as Document, // as above
      update: { $set: { updated_at: updatedAt }, $unset: { [unfinished]: '' } },
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

/** Stored artists that have one of these ids, of either kind. */
export const readStoredArtists = (
  db: Db,
  ids: readonly string[],
  documentIds: readonly string[],
): Promise<StoredDocument[]> => {
  // In a file an id that the database made is its text.
  const made = documentIds.filter((id) => hexId.test(id)).map((id) => new ObjectId(id));
  const byEither: Document = { $or: [{ id: { $in: ids } }, { _id: { $in: [...documentIds, ...made] } }] };
  return db.collection('artists').find(byEither).toArray();
};

/** Stored series of these artists. */
export const readStoredSeries = (db: Db, artistIds: readonly string[]): Promise<StoredDocument[]> =>
  db
    .collection('history')
    .find({ artist_id: { $in: artistIds } })
    .toArray();

/** All documents of a collection, of each only the members named and its `_id`. */
export const readMembers = (db: Db, collection: string, members: readonly string[]): Promise<StoredDocument[]> => {
  const projection = Object.fromEntries(members.map((member) => [member, 1]));
  return db.collection(collection).find({}, { projection }).toArray();
};
