import type { Database, Leases } from '../../../../adapters/stores/database.ts';
import { type DatabaseEntry, databases } from '../../../../adapters/stores/databases.ts';
import type { NamedDocument } from '../../../../adapters/stores/documents/collection-reader.ts';
import { createKeyReader, keyRecordsOf } from '../../../../adapters/stores/documents/key-reader.ts';
import { dayDocument, hourDocument } from '../../../../adapters/stores/documents/usage-documents.ts';
import { createEmbeddedCatalogue } from '../../../../adapters/stores/embedded/catalogue.ts';
import type { Clock, KeyRecords, KeySource, UsageStore } from '../../../../src/ports.ts';
import { runYielding } from '../../../../src/runtime/cooperative.ts';
import { type Collections, createCollections } from './collections.ts';
import { createMemoryDocuments } from './documents.ts';

const namedDocuments = (collections: Collections, name: string): NamedDocument[] =>
  collections.all(name).map((value) => ({ value, name: () => String(value['_id']) }));

/** The catalogue and its histories, by the rules of the files. */
export const createMemoryCatalogue = (collections: Collections, clock: Clock) => {
  const reader = (name: string) => async () => ({
    version: collections.version(name),
    documents: collections.all(name).map((value) => ({ value, position: () => ({ file: name, line: 1, column: 1 }) })),
    faults: [],
  });
  const readers = { artists: reader('artists'), series: reader('history'), labels: reader('labels') };
  return createEmbeddedCatalogue({ folder: '', readers, clock, rebaseToToday: false });
};

export const createMemoryKeys = (collections: Collections, formNames: readonly string[]): KeySource => {
  const read = createKeyReader(formNames);
  let last: { readonly version: string; readonly records: KeyRecords } | undefined;
  return {
    async load() {
      const version = collections.version('api_keys') + collections.version('organizations');
      if (last?.version === version) return last.records;
      const [keys, organizations] = [
        namedDocuments(collections, 'api_keys'),
        namedDocuments(collections, 'organizations'),
      ];
      const documents = await runYielding(read(keys, organizations));
      last = { version, records: keyRecordsOf(documents, formNames) };
      return last.records;
    },
  };
};

export const createMemoryUsage = (collections: Collections): UsageStore => {
  const write = (name: string, _id: string, total: { readonly requests: number }): void => {
    if (Number(collections.get(name, _id)?.['requests'] ?? 0) <= total.requests)
      collections.set(name, { ...total, _id });
  };
  return {
    async write({ days, hours }) {
      for (const total of days) write('usage', total.id, dayDocument(total));
      for (const total of hours) write('usage_minutes', total.id, hourDocument(total));
    },
  };
};

const createMemoryLeases = (collections: Collections): Leases => {
  const tokenOf = (id: string): unknown => collections.get('leases', id)?.['token'];
  return {
    async take(lease, deadToken) {
      const until = collections.get('leases', lease._id)?.['expires_at'];
      const isHeld = until instanceof Date && until > lease.acquired_at;
      if (isHeld && tokenOf(lease._id) !== deadToken) return false;
      collections.set('leases', { ...lease });
      return true;
    },
    async renew(id, token, expires_at) {
      if (tokenOf(id) !== token) return false;
      collections.set('leases', { ...collections.get('leases', id), expires_at });
      return true;
    },
    async release(id, token) {
      if (tokenOf(id) === token) collections.delete('leases', id);
    },
  };
};

/** A database in memory: every URL opens the same documents. It ends with its process, so no copies are kept of it. */
const createMemoryDatabase = (): Database => {
  const collections = createCollections();
  const withoutCopies = {
    state: (): never => {
      throw new Error('A database in memory has no copies.');
    },
    resume(): void {},
  };
  const close = async (): Promise<void> => {};
  return {
    openStores(_url, { clock, formNames }) {
      const catalogue = createMemoryCatalogue(collections, clock);
      return {
        catalogue: { load: catalogue.load, ...withoutCopies },
        keys: { ...createMemoryKeys(collections, formNames), ...withoutCopies },
        histories: catalogue,
        usage: createMemoryUsage(collections),
        close,
      };
    },
    openOperator: (_url, { formNames }) => ({
      documents: createMemoryDocuments(collections),
      leases: createMemoryLeases(collections),
      indexes: { needed: [], missing: async () => [], create: async () => {} },
      keys: createMemoryKeys(collections, formNames),
      now: async () => undefined,
      similar: async () => [],
      close,
    }),
    describeFailure: () => undefined,
  };
};

/** Plugs a database in memory in for `memory://` URLs. Returns the function that unplugs it. */
export const plugInMemoryDatabase = (): (() => void) => {
  const memory = createMemoryDatabase();
  // The product's list is constant. This adds the line to it that a third store would have there.
  const list = databases as DatabaseEntry[];
  const entry = { schemes: ['memory'], load: async () => memory };
  list.push(entry);
  return () => void list.splice(list.indexOf(entry), 1);
};
