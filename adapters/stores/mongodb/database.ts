import type {
  Database,
  DatabaseStores,
  OperatorDatabase,
  OperatorOptions,
  StoresOptions,
} from '../database.ts';
import { createMongoCatalogue } from './catalogue.ts';
import { openMongo } from './connection.ts';
import { createMongoDocuments, createMongoLeases } from './documents.ts';
import { createConfirmations } from './empty-collections.ts';
import { createStoreErrors, describeMongoFailure, explainMongoFailure } from './errors.ts';
import { createMongoHistory, maxReads } from './histories.ts';
import { createMongoIndexes } from './indexes.ts';
import { createMongoKeys } from './keys.ts';
import { createMongoUsage } from './usage.ts';

/** Connections for background work: three for the catalogue, two for keys, one for usage. */
const refreshConnections = 6;

/**
 * Opens the stores over two clients. Keys and catalogue have their own connections, so that slow
 * histories do not delay a revocation (decisions, "Freshness and caching").
 */
const openStores = (
  url: string,
  { storeTimeoutMs, formNames, log, responseSettings }: StoresOptions,
): DatabaseStores => {
  const refreshing = openMongo(url, { log, maxPoolSize: refreshConnections });
  const reading = openMongo(url, { log, maxPoolSize: maxReads, watchesClock: false });
  reading.connect(); // otherwise the first request waits for it
  const { db } = refreshing;
  const withStoreErrors = createStoreErrors(refreshing.failure);
  const withReadErrors = createStoreErrors(reading.failure);
  const confirmations = createConfirmations();
  const catalogue = createMongoCatalogue(db, confirmations);
  const options = { timeoutMs: storeTimeoutMs, log, confirmations };
  const histories = createMongoHistory(reading.db, options);
  const keys = createMongoKeys(db, formNames);
  const usage = createMongoUsage(db, responseSettings);
  let hasCheckedIndexes = false;
  const checkIndexes = async (): Promise<void> => {
    if (hasCheckedIndexes) return;
    const { missing, obstacles } = await createMongoIndexes(db).check();
    if (missing.length > 0) log.warn({ missing, obstacles }, 'indexes missing');
    hasCheckedIndexes = true;
  };
  // Checks the indexes after the first successful load: the database may be down at the start.
  const loadCatalogue = async () => {
    const contents = await withStoreErrors(catalogue.load());
    await withStoreErrors(checkIndexes());
    return contents;
  };
  return {
    catalogue: { load: loadCatalogue },
    keys: { load: () => withStoreErrors(keys.load()) },
    histories: { read: (artist) => withReadErrors(histories.read(artist)) },
    usage: { write: (totals) => withStoreErrors(usage.write(totals)) },
    clockAheadMs: refreshing.clockAheadMs,
    close: async () => void (await Promise.all([refreshing.close(), reading.close()])),
  };
};

const openOperator = (url: string, { formNames, timeoutMs }: OperatorOptions): OperatorDatabase => {
  const { db, close } = openMongo(url, {
    ...(timeoutMs !== undefined && { socketTimeoutMS: timeoutMs }),
  });
  return {
    documents: createMongoDocuments(db),
    leases: createMongoLeases(db),
    indexes: createMongoIndexes(db),
    keys: createMongoKeys(db, formNames),
    catalogue: createMongoCatalogue(db),
    async now() {
      const { localTime } = await db.command({ hello: 1 });
      return localTime instanceof Date ? localTime.getTime() : undefined;
    },
    describeFailure: describeMongoFailure,
    explainFailure: explainMongoFailure,
    close,
  };
};

export const mongodb: Database = { openStores, openOperator };
