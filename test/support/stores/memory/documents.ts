import { type DocumentQuery, type DocumentStore, uniqueKeys } from '../../../../adapters/stores/database.ts';
import type { StoredDocument } from '../../documents.ts';
import type { Collections } from './collections.ts';

/** An instant by its time, so that equal instants are equal. */
const comparable = (value: unknown): unknown => (value instanceof Date ? value.getTime() : (value ?? null));

const isBefore = (one: unknown, other: unknown): boolean => {
  const [left, right] = [comparable(one), comparable(other)];
  if (typeof left === 'number' && typeof right === 'number') return left < right;
  return left === null ? right !== null : right !== null && String(left) < String(right);
};

const isFound = (document: StoredDocument, { where = {}, from }: DocumentQuery): boolean =>
  Object.entries(where).every(([name, values]) => values.includes(document[name])) &&
  (from === undefined || !isBefore(document[from[0]], from[1]));

const inOrder =
  (order: readonly string[]) =>
  (one: StoredDocument, other: StoredDocument): number => {
    const name = order.find((each) => isBefore(one[each], other[each]) || isBefore(other[each], one[each]));
    if (name === undefined) return 0;
    return isBefore(one[name], other[name]) ? -1 : 1;
  };

/** The documents of a database in memory. */
export const createMemoryDocuments = (collections: Collections): DocumentStore => {
  const put = (collection: string, document: StoredDocument): void => {
    const key = uniqueKeys[collection] ?? ['_id'];
    const same = collections
      .all(collection)
      .find((stored) => key.every((name) => (stored[name] ?? null) === (document[name] ?? null)));
    collections.set(collection, same === undefined ? document : { ...document, _id: same['_id'] });
  };
  return {
    async *find(collection, query = {}) {
      const found = collections.all(collection).filter((document) => isFound(document, query));
      const ordered = query.order === undefined ? found : found.toSorted(inOrder(query.order));
      yield* ordered.slice(query.last === undefined ? 0 : -query.last);
    },
    count: async (collection) => collections.all(collection).length,
    async insert(collection, document) {
      if (collections.get(collection, document['_id']) !== undefined) return false;
      collections.set(collection, document);
      return true;
    },
    async put(collection, documents) {
      for (const document of documents) put(collection, document);
    },
    async replace(collection, replacements) {
      for (const { _id, document } of replacements) {
        if (collections.get(collection, _id) !== undefined) collections.set(collection, { ...document, _id });
      }
    },
    async update(collection, changes) {
      const found = changes.filter(({ _id }) => collections.get(collection, _id) !== undefined);
      for (const { _id, document } of found) {
        const members = Object.entries({ ...collections.get(collection, _id), ...document });
        collections.set(collection, Object.fromEntries(members.filter(([, value]) => value !== undefined)));
      }
      return found.length;
    },
    async remove(collection, ids) {
      for (const id of ids) collections.delete(collection, id);
    },
    toJson: () => undefined,
  };
};
