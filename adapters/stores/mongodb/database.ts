import type {
  Database,
  DatabaseStores,
  OperatorDatabase,
  OperatorOptions,
  StoresOptions,
} from '../database.ts';
import type { LoadedCatalogue } from '../documents/tracked-document.ts';
import { createMongoCatalogue } from './catalogue.ts';
import { openMongo } from './connection.ts';
import { createMongoDocuments } from './documents.ts';
import { createConfirmations } from './empty-collections.ts';
import { createStoreErrors, describeMongoFailure } from './errors.ts';
import { createMongoHistory } from './histories.ts';
import { createMongoIndexes } from './indexes.ts';
import { createMongoKeys } from './keys.ts';
import { createMongoLeases } from './leases.ts';
import { createMongoUsage } from './usage.ts';

const openStores = (
  url: string,
  { storeTimeoutMs, formNames, log }: StoresOptions,
): DatabaseStores => {
  const { db, failure, close } = openMongo(url, { log });
  const withStoreErrors = createStoreErrors(failure);
  const confirmations = createConfirmations(db);
  const catalogue = createMongoCatalogue(db, confirmations);
  const histories = createMongoHistory(db, { timeoutMs: storeTimeoutMs, log, confirmations });
  const keys = createMongoKeys(db, formNames);
  const usage = createMongoUsage(db);
  let hasCheckedIndexes = false;
  const checkIndexes = async (): Promise<void> => {
    if (hasCheckedIndexes) return;
    const missing = await createMongoIndexes(db).missing();
    if (missing.length > 0) log.warn({ missing }, 'indexes are missing');
    hasCheckedIndexes = true;
  };
  // Checks the indexes after the first successful load: the database may be down at the start.
  const loadCatalogue = async (former?: LoadedCatalogue) => {
    const contents = await withStoreErrors(catalogue.load(former));
    await withStoreErrors(checkIndexes());
    return contents;
  };
  return {
    catalogue: { load: loadCatalogue },
    keys: { load: (former) => withStoreErrors(keys.load(former)) },
    histories: { read: (artist) => withStoreErrors(histories.read(artist)) },
    usage: { write: (totals) => withStoreErrors(usage.write(totals)) },
    close,
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
    close,
  };
};

export const mongodb: Database = {
  openStores,
  openOperator,
  describeFailure: describeMongoFailure,
};
