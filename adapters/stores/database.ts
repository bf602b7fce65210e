import type {
  CatalogueSource,
  Clock,
  HistorySource,
  KeySource,
  Log,
  UsageStore,
} from '../../src/ports.ts';
import type { Config } from '../../src/runtime/config.ts';
import type { StoreFailure } from '../../src/runtime/store-error.ts';
import type { StoredDocument } from './documents/stored-document.ts';

/** The stores of a gateway in a database. A failure of the database rejects as a `StoreError`. */
export interface DatabaseStores {
  readonly catalogue: CatalogueSource;
  readonly keys: KeySource;
  readonly histories: HistorySource;
  readonly usage: UsageStore;
  /** Milliseconds by which its clock is ahead of the machine's; `undefined` if unknown. */
  clockAheadMs(): number | undefined;
  close(): Promise<void>;
}

export interface StoresOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** The forms that keys may be pinned to. */
  readonly formNames: readonly string[];
  /** Stored with usage, to compare gateways. */
  readonly responseSettings?: Config['responseSettings'];
  /** Maximum time that a request waits for a history, in milliseconds. */
  readonly storeTimeoutMs: number;
}

/** Selects and orders documents of a collection. By default all documents, in any order. */
export interface DocumentQuery {
  /**
   * The allowed values of members. A text as `_id` also matches an ObjectId with these hex digits.
   */
  readonly where?: Readonly<Record<string, readonly unknown[]>>;
  /** A member and its minimum value. */
  readonly from?: readonly [member: string, least: unknown];
  /** Members to read in addition to `_id`; by default all. */
  readonly members?: readonly string[];
  /** Members to order by, ascending. */
  readonly order?: readonly string[];
  /** Maximum number of documents: the last ones in that order. */
  readonly last?: number;
}

/** Fields to write in the stored document with an `_id`. */
export interface DocumentUpdate {
  readonly _id: unknown;
  /** New values by the paths of members (`links.spotify`); `undefined` removes a member. */
  readonly document: StoredDocument;
  /**
   * Fields as they were read, by path; `undefined` if missing. A document that has changed in the
   * meantime is not written.
   */
  readonly before?: StoredDocument;
}

/** Unique keys of collections, in addition to `_id`. */
export const uniqueKeys: Readonly<Record<string, readonly string[]>> = {
  artists: ['id'],
  history: ['artist_id', 'song_id', 'metric'],
  labels: ['name'],
};

/**
 * Stored documents, for an operator to read and write. A document deleted in the meantime is not
 * written.
 */
export interface DocumentStore {
  /** Keeps at most one reply of the database in memory. */
  find(collection: string, query?: DocumentQuery): AsyncIterable<StoredDocument>;
  /** The database's estimate of the number of documents. */
  count(collection: string): Promise<number>;
  /** Adds a document. Resolves to `false` if its `_id` exists. */
  insert(collection: string, document: StoredDocument): Promise<boolean>;
  /**
   * Adds documents. Resolves to the number added, which is lower if an `_id` or a unique key exists
   * already.
   */
  add(collection: string, documents: readonly StoredDocument[]): Promise<number>;
  /**
   * Sets fields of documents, and removes fields that are `undefined`. Resolves to the number of
   * documents found.
   */
  update(collection: string, changes: readonly DocumentUpdate[]): Promise<number>;
  remove(collection: string, removals: readonly Omit<DocumentUpdate, 'document'>[]): Promise<void>;
  /** The JSON value of a database-specific type; `undefined` if there is none. */
  toJson(value: object): string | number | undefined;
}

/** A lock that expires. Its holder renews it. */
export interface StoredLease {
  /** The locked resource. */
  readonly _id: string;
  readonly token: string;
  /** The lock's owner, for operators to read. */
  readonly holder: string;
  readonly acquired_at: Date;
  readonly expires_at: Date;
}

/** The leases in a database. Each method is atomic. */
export interface Leases {
  /** Stores a lease unless another lease is active. Resolves to true if it is stored. */
  take(lease: StoredLease): Promise<boolean>;
  /** Changes the expiry of a lease that still has this token. Resolves to true if it does. */
  renew(id: string, token: string, expiresAt: Date): Promise<boolean>;
  release(id: string, token: string): Promise<void>;
}

/** The indexes that the gateway needs, each as `collection.name`. */
export interface Indexes {
  readonly needed: readonly string[];
  /**
   * `missing`: required indexes that do not exist under any name. `obstacles`: existing indexes
   * that conflict with them, each as a sentence with the fix.
   */
  check(): Promise<{ readonly missing: readonly string[]; readonly obstacles: readonly string[] }>;
  /** Creates the missing indexes. Rejects with one line if another index conflicts. */
  create(): Promise<void>;
}

/**
 * A database's functions for an operator. Failures are the database's own errors, see
 * `describeFailure`.
 */
export interface OperatorDatabase {
  readonly documents: DocumentStore;
  readonly leases: Leases;
  readonly indexes: Indexes;
  /** The keys that a gateway would load. */
  readonly keys: KeySource;
  /** The catalogue that a gateway would load, without its histories. */
  readonly catalogue: CatalogueSource;
  /**
   * The database's time in epoch milliseconds; `undefined` if not available. Rejects if the
   * database is unreachable.
   */
  now(): Promise<number | undefined>;
  /**
   * One line about a failure of the database or its network, with the fix; `undefined` for other
   * errors.
   */
  describeFailure(error: unknown): string | undefined;
  /** Why the database failed, and how to fix it. */
  explainFailure(error: unknown): StoreFailure;
  close(): Promise<void>;
}

export interface OperatorOptions {
  readonly formNames: readonly string[];
  /** Timeout of one reply, in milliseconds. */
  readonly timeoutMs?: number;
}

/**
 * A kind of database. It connects on first use. Opening throws a `SettingError` if the URL is not
 * usable.
 */
export interface Database {
  openStores(url: string, options: StoresOptions): DatabaseStores;
  openOperator(url: string, options: OperatorOptions): OperatorDatabase;
}
