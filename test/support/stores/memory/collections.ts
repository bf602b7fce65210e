import type { StoredDocument } from '../../documents.ts';

/** Documents by collection and `_id`: everything that a database in memory holds. */
export interface Collections {
  /** In the order in which they were added. */
  all(collection: string): readonly StoredDocument[];
  get(collection: string, id: unknown): StoredDocument | undefined;
  /** Adds a document, or replaces the one with its `_id`. One without gets one. */
  set(collection: string, document: StoredDocument): void;
  delete(collection: string, id: unknown): void;
  /** Replaces all documents of the named collections. */
  fill(documents: Readonly<Record<string, readonly StoredDocument[]>>): void;
  /** Changes with every change of a collection. */
  version(collection: string): string;
}

export const createCollections = (): Collections => {
  const collections = new Map<string, Map<unknown, StoredDocument>>();
  let changes = 0;
  const versions = new Map<string, number>();
  const change = (name: string): Map<unknown, StoredDocument> => {
    changes += 1;
    versions.set(name, changes);
    const collection = collections.get(name) ?? new Map<unknown, StoredDocument>();
    collections.set(name, collection);
    return collection;
  };
  const set: Collections['set'] = (name, document) => {
    const collection = change(name);
    const _id = document['_id'] ?? `generated ${String(changes).padStart(9, '0')}`;
    collection.set(_id, { ...document, _id });
  };
  return {
    all: (name) => [...(collections.get(name)?.values() ?? [])],
    get: (name, id) => collections.get(name)?.get(id),
    set,
    delete: (name, id) => void change(name).delete(id),
    fill(documents) {
      for (const [name, list] of Object.entries(documents)) {
        change(name).clear();
        for (const document of list) set(name, document);
      }
    },
    version: (name) => `${name} ${versions.get(name) ?? 0}`,
  };
};
