import type { CatalogueContents, Clock, HistorySource, KeyRecords, Log, UsageStore } from '../../src/ports.ts';
import type { KeyCollections } from './documents/key-reader.ts';
import type { TrackedCatalogue } from './documents/tracked-document.ts';
import { createMongoCatalogue } from './mongodb/catalogue.ts';
import { openMongo } from './mongodb/connection.ts';
import { createConfirmations } from './mongodb/empty-collections.ts';
import { createStoreErrors } from './mongodb/errors.ts';
import { createMongoHistory } from './mongodb/histories.ts';
import { missingIndexes } from './mongodb/indexes.ts';
import { createMongoKeys } from './mongodb/keys.ts';
import { createMongoUsage } from './mongodb/usage.ts';
import type { ResumableSource } from './state/kept-source.ts';

/** The stores of a gateway in one database. A failure of MongoDB rejects as a `StoreError`. */
export interface DatabaseStores {
  readonly catalogue: ResumableSource<CatalogueContents, TrackedCatalogue>;
  readonly keys: ResumableSource<KeyRecords, KeyCollections>;
  readonly histories: HistorySource;
  readonly usage: UsageStore;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** The forms that keys may be pinned to. */
  readonly formNames: readonly string[];
}

/** Opens the stores in the database of a URL. Connects on first use. Throws when the URL is not usable. */
export const openDatabase = (
  url: string,
  { storeTimeoutMs: timeoutMs }: { readonly storeTimeoutMs: number },
  { clock, formNames, log }: DatabaseOptions,
): DatabaseStores => {
  const { db, failure, close } = openMongo(url);
  const withStoreErrors = createStoreErrors(failure);
  const confirmations = createConfirmations(db);
  const catalogue = createMongoCatalogue(db, clock, confirmations);
  const histories = createMongoHistory(db, { timeoutMs, log, confirmations });
  const keys = createMongoKeys(db, formNames);
  const usage = createMongoUsage(db);
  let hasCheckedIndexes = false;
  const checkIndexes = async (): Promise<void> => {
    if (hasCheckedIndexes) return;
    const missing = await missingIndexes(db);
    if (missing.length > 0) log.warn({ missing }, 'indexes are missing');
    hasCheckedIndexes = true;
  };
  // Checks the indexes after the first successful load: the database may be down at the start.
  const loadCatalogue = async () => {
    const contents = await withStoreErrors(catalogue.load());
    await withStoreErrors(checkIndexes());
    return contents;
  };
  return {
    catalogue: { ...catalogue, load: loadCatalogue },
    keys: { ...keys, load: () => withStoreErrors(keys.load()) },
    histories: { read: (artist) => withStoreErrors(histories.read(artist)) },
    usage: { write: (totals) => withStoreErrors(usage.write(totals)) },
    close,
  };
};
