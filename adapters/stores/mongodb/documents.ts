import {
  type AnyBulkWriteOperation,
  type Db,
  Decimal128,
  type Document,
  Double,
  type Filter,
  Int32,
  Long,
  ObjectId,
} from 'mongodb';
import { inBatches } from '../../../src/domain/groups.ts';
import type {
  DocumentQuery,
  DocumentStore,
  DocumentUpdate,
  Leases,
  StoredLease,
} from '../database.ts';
import type { StoredDocument } from '../documents/stored-document.ts';
import { isDuplicate } from './errors.ts';

/** Documents per reply and per write: few enough for a slow server to finish in time. */
const replySize = 200;
const requestSize = 200;

/** Documents per reply if only some fields are read. */
const partReplySize = 1_000;

const hexId = /^[0-9a-f]{24}$/i;

/** A file holds an ObjectId as its hex text. */
const idsOf = (values: readonly unknown[]): unknown[] =>
  values.flatMap((value) =>
    typeof value === 'string' && hexId.test(value) ? [value, new ObjectId(value)] : [value],
  );

/**
 * Compares a single text for equality, so that an index also serves a range or an order of its next
 * field.
 */
const oneOf = (values: readonly unknown[]): unknown =>
  values.length === 1 && typeof values[0] === 'string' ? values[0] : { $in: values };

const filterOf = ({ where = {}, from }: DocumentQuery): Document => ({
  ...Object.fromEntries(
    Object.entries(where).map(([member, values]) => [
      member,
      oneOf(member === '_id' ? idsOf(values) : values),
    ]),
  ),
  ...(from !== undefined && { [from[0]]: { $gte: from[1] } }),
});

const forEachOf = (members: readonly string[], value: 1 | -1) =>
  Object.fromEntries(members.map((member) => [member, value]));

/**
 * Matches the document if it still has these fields. `undefined` matches a missing field, as `null`
 * does.
 */
const stillThere = ({ _id, before = {} }: Omit<DocumentUpdate, 'document'>): Filter<Document> => {
  const members = Object.entries(before).map(([name, value]) => [name, { $eq: value ?? null }]);
  // The driver's type of `_id` is ObjectId; this `_id` was read from the database.
  return { _id, ...Object.fromEntries(members) } as Document;
};

const updateOf = (members: StoredDocument): Document => {
  const [set, removed] = [
    { ...members },
    Object.keys(members).filter((name) => members[name] === undefined),
  ];
  for (const name of removed) delete set[name];
  return {
    ...(Object.keys(set).length > 0 && { $set: set }),
    ...(removed.length > 0 && { $unset: Object.fromEntries(removed.map((name) => [name, ''])) }),
  };
};

/** A number as JSON: a text if a JavaScript number would lose digits. */
const numberOf = (text: string): number | string =>
  String(Number(text)) === text ? Number(text) : text;

export const createMongoDocuments = (db: Db): DocumentStore => {
  const write = async (
    collection: string,
    operations: readonly AnyBulkWriteOperation[],
  ): Promise<number> => {
    let matched = 0;
    for (const batch of inBatches(operations, requestSize))
      matched += (await db.collection(collection).bulkWrite(batch)).matchedCount;
    return matched;
  };
  return {
    async *find(collection, query = {}) {
      const { members, order = [], last } = query;
      const cursor = db.collection(collection).find(filterOf(query), {
        batchSize: members === undefined ? replySize : partReplySize,
        ...(members !== undefined && { projection: forEachOf(members, 1) }),
        ...(order.length > 0 && {
          sort: forEachOf(order, last === undefined ? 1 : -1),
          allowDiskUse: true,
        }),
        ...(last !== undefined && { limit: last }),
      });
      if (last === undefined) yield* cursor;
      else yield* (await cursor.toArray()).reverse();
    },

    count: (collection) => db.collection(collection).estimatedDocumentCount(),

    async insert(collection, document) {
      try {
        await db.collection(collection).insertOne({ ...document });
        return true;
      } catch (error) {
        if (isDuplicate(error)) return false;
        throw error;
      }
    },

    async add(collection, documents) {
      let added = 0;
      try {
        for (const batch of inBatches(documents, requestSize))
          added += (
            await db.collection(collection).insertMany(batch.map((document) => ({ ...document })))
          ).insertedCount;
      } catch (error) {
        if (!isDuplicate(error)) throw error;
      }
      return added;
    },

    update: (collection, changes) =>
      write(
        collection,
        changes.map(({ document, ...stored }) => ({
          updateOne: { filter: stillThere(stored), update: updateOf(document) },
        })),
      ),

    async remove(collection, removals) {
      await write(
        collection,
        removals.map((stored) => ({ deleteOne: { filter: stillThere(stored) } })),
      );
    },

    toJson(value) {
      if (value instanceof ObjectId) return value.toHexString();
      if (value instanceof Double || value instanceof Int32) {
        const number = value.valueOf();
        return Number.isFinite(number) ? number : undefined;
      }
      return value instanceof Long || value instanceof Decimal128
        ? numberOf(value.toString())
        : undefined;
    },
  };
};

/** The collection `leases`, a document for each name. */
export const createMongoLeases = (db: Db): Leases => {
  const leases = db.collection<StoredLease>('leases');
  return {
    async take({ _id, ...members }) {
      const lasts = { expires_at: { $gt: members.acquired_at } };
      try {
        // The unique _id makes the insertion fail while the stored lease is active.
        await leases.updateOne({ _id, $nor: [lasts] }, { $set: members }, { upsert: true });
        return true;
      } catch (error) {
        if (isDuplicate(error)) return false;
        throw error;
      }
    },
    async renew(_id, token, expires_at) {
      return (await leases.updateOne({ _id, token }, { $set: { expires_at } })).matchedCount === 1;
    },
    async release(_id, token) {
      await leases.deleteOne({ _id, token });
    },
  };
};
