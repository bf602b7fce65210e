import { isDeepStrictEqual } from 'node:util';
import {
  type Database,
  type DocumentQuery,
  type DocumentStore,
  type Leases,
  uniqueKeys,
} from '../../../adapters/stores/database.ts';
import { createKeyReader, keyRecordsOf } from '../../../adapters/stores/documents/key-reader.ts';
import { dayDocument, hourDocument } from '../../../adapters/stores/documents/usage-documents.ts';
import { createEmbeddedCatalogue } from '../../../adapters/stores/embedded/catalogue.ts';
import type { Clock, KeySource, UsageStore } from '../../../src/ports.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { explainFailure } from '../../../src/runtime/store-error.ts';
import type { StoredDocument } from '../documents.ts';

/** The documents of a collection by `_id`, in the order in which they were added. */
type Collections = (name: string) => Map<unknown, StoredDocument>;

const createCollections = (): Collections => {
  const collections = new Map<string, Map<unknown, StoredDocument>>();
  return (name) => {
    const collection = collections.get(name) ?? new Map<unknown, StoredDocument>();
    collections.set(name, collection);
    return collection;
  };
};

const add = (collection: Map<unknown, StoredDocument>, document: StoredDocument): void => {
  // a later one is greater
  const _id = document['_id'] ?? String(process.hrtime.bigint()).padStart(20, '0');
  collection.set(_id, { ...document, _id });
};

/** The catalogue and its histories, by the rules of the files. */
const openCatalogue = (collections: Collections, clock: Clock) => {
  const reader = (name: string) => async () => {
    const found = [...collections(name).values()];
    return {
      version: JSON.stringify(found),
      documents: found.map((value, index) => ({
        value,
        position: { file: name, line: index + 1, column: 1 },
      })),
      faults: [],
    };
  };
  const readers = {
    artists: reader('artists'),
    series: reader('history'),
    labels: reader('labels'),
  };
  return createEmbeddedCatalogue({ folder: '', readers, clock, rebaseToToday: false });
};

const openKeys = (collections: Collections, formNames: readonly string[]): KeySource => {
  const read = createKeyReader(formNames);
  const named = (name: string) =>
    [...collections(name).values()].map((value) => ({ value, name: () => String(value['_id']) }));
  return {
    load: async () =>
      keyRecordsOf(await read(named('api_keys'), named('organizations')), formNames),
  };
};

const openUsage = (collections: Collections): UsageStore => {
  const write = (name: string, _id: string, total: { readonly requests: number }): void => {
    if (Number(collections(name).get(_id)?.['requests'] ?? 0) <= total.requests)
      collections(name).set(_id, { ...total, _id });
  };
  return {
    async write({ days, hours }) {
      for (const total of days) write('usage', total.id, dayDocument(total));
      for (const total of hours) write('usage_minutes', total.id, hourDocument(total));
    },
  };
};

const openLeases = (collections: Collections): Leases => {
  const leases = collections('leases');
  const tokenOf = (id: string): unknown => leases.get(id)?.['token'];
  return {
    async take(lease) {
      const until = leases.get(lease._id)?.['expires_at'];
      if (until instanceof Date && until > lease.acquired_at) return false;
      leases.set(lease._id, { ...lease });
      return true;
    },
    async renew(id, token, expires_at) {
      if (tokenOf(id) !== token) return false;
      leases.set(id, { ...leases.get(id), expires_at });
      return true;
    },
    async release(id, token) {
      if (tokenOf(id) === token) leases.delete(id);
    },
  };
};

/** What documents are ordered by are texts and instants. */
const comparable = (value: unknown): string =>
  value instanceof Date ? value.toISOString() : String(value ?? '');

const isFound = (document: StoredDocument, { where = {}, from }: DocumentQuery): boolean =>
  Object.entries(where).every(([name, values]) => values.includes(document[name])) &&
  (from === undefined || comparable(document[from[0]]) >= comparable(from[1]));

const readPath = (document: StoredDocument, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => Object(value)[name], document);

const writePath = (document: object, path: string, value: unknown): void => {
  const names = path.split('.');
  const last = names.pop() ?? '';
  const parent = names.reduce((inside, name) => {
    inside[name] ??= {};
    return inside[name];
  }, Object(document));
  if (value === undefined) delete parent[last];
  else parent[last] = value;
};

const openDocuments = (collections: Collections): DocumentStore => {
  const replace = (name: string, _id: unknown, document: StoredDocument): number => {
    if (!collections(name).has(_id)) return 0;
    collections(name).set(_id, { ...document, _id });
    return 1;
  };
  const isStill = (name: string, _id: unknown, before: StoredDocument = {}): boolean => {
    const stored = collections(name).get(_id) ?? {};
    return Object.entries(before).every(([path, value]) =>
      isDeepStrictEqual(readPath(stored, path), value),
    );
  };
  return {
    async *find(name, query = {}) {
      const { order = [], last } = query;
      const placeOf = (document: StoredDocument) =>
        order.map((member) => comparable(document[member])).join('\0');
      const found = [...collections(name).values()].filter((document) => isFound(document, query));
      const sorted = found.toSorted((one, other) => {
        const [left, right] = [placeOf(one), placeOf(other)];
        return Number(left > right) - Number(left < right);
      });
      yield* sorted.slice(last === undefined ? 0 : -last);
    },
    count: async (name) => collections(name).size,
    async insert(name, document) {
      if (collections(name).has(document['_id'])) return false;
      add(collections(name), document);
      return true;
    },
    async add(name, documents) {
      const isTaken = (document: StoredDocument) =>
        [['_id'], uniqueKeys[name] ?? ['_id']].some((key) =>
          [...collections(name).values()].some((stored) =>
            key.every((member) => (stored[member] ?? null) === (document[member] ?? null)),
          ),
        );
      const taken = documents.findIndex(isTaken);
      const free = taken < 0 ? documents : documents.slice(0, taken);
      for (const document of free) add(collections(name), document);
      return free.length;
    },
    async update(name, changes) {
      const updated = changes.map(({ _id, document, before }) => {
        if (!isStill(name, _id, before)) return 0;
        const stored = structuredClone({ ...collections(name).get(_id) });
        for (const [path, value] of Object.entries(document)) writePath(stored, path, value);
        return replace(name, _id, stored);
      });
      return updated.reduce((sum, count) => sum + count, 0);
    },
    async remove(name, removals) {
      for (const { _id, before } of removals)
        if (isStill(name, _id, before)) collections(name).delete(_id);
    },
    toJson: () => undefined,
  };
};

/** A database in memory: every URL opens the same documents. */
export const createMemoryDatabase = () => {
  const collections = createCollections();
  const close = async (): Promise<void> => {};
  const database: Database = {
    openStores(_url, { clock, formNames }) {
      const catalogue = openCatalogue(collections, clock);
      return {
        catalogue: { load: () => catalogue.load() },
        keys: openKeys(collections, formNames),
        histories: catalogue,
        usage: openUsage(collections),
        clockAheadMs: () => undefined,
        close,
      };
    },
    openOperator: (_url, { formNames }) => ({
      documents: openDocuments(collections),
      leases: openLeases(collections),
      indexes: {
        needed: [],
        check: async () => ({ missing: [], obstacles: [] }),
        create: async () => {},
      },
      keys: openKeys(collections, formNames),
      catalogue: openCatalogue(collections, systemClock()),
      now: async () => undefined,
      describeFailure: () => undefined,
      explainFailure: (error) => explainFailure(error, 'MONGODB_URL'),
      close,
    }),
  };
  return {
    ...database,
    /** Replaces all documents of the named collections. */
    async write(documents: Readonly<Record<string, readonly StoredDocument[]>>): Promise<void> {
      for (const [name, list] of Object.entries(documents)) {
        collections(name).clear();
        for (const document of list) add(collections(name), document);
      }
    },
  };
};
