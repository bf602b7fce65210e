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

/** What a database gives a gateway. A failure of the database rejects as a `StoreError`. */
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
  /** Stored with usage, so that gateways can be compared. */
  readonly answerSettings?: Config['answerSettings'];
  /** Maximum time that a request waits for a history, in milliseconds. */
  readonly storeTimeoutMs: number;
}

/**
 * Which documents of a collection are read, and in which order. Without anything all of them, in
 * any order.
 */
export interface DocumentQuery {
  /**
   * The values that members may have. A text as `_id` also finds the ObjectId that it writes in
   * hex.
   */
  readonly where?: Readonly<Record<string, readonly unknown[]>>;
  /** A member, and the least value that it has. */
  readonly from?: readonly [member: string, least: unknown];
  /** Members to read beside `_id`; all without it. */
  readonly members?: readonly string[];
  /** Members to order by, ascending. */
  readonly order?: readonly string[];
  /** The maximum number of documents: the last ones in that order. */
  readonly last?: number;
}

/** Members to write of the stored document with an `_id`. */
export interface DocumentUpdate {
  readonly _id: unknown;
  /** New values by the paths of members (`links.spotify`); `undefined` removes a member. */
  readonly document: StoredDocument;
  /**
   * Members as they were read, by their paths, `undefined` where there were none: a document that
   * has others by now is not written.
   */
  readonly before?: StoredDocument;
}

/** The members that no two documents of a collection have in common, beside `_id`. */
export const uniqueKeys: Readonly<Record<string, readonly string[]>> = {
  artists: ['id'],
  history: ['artist_id', 'song_id', 'metric'],
  labels: ['name'],
};

/**
 * Stored documents, as an operator reads and writes them. A document that is gone meanwhile is not
 * written.
 */
export interface DocumentStore {
  /** At most one reply of the database is in memory. */
  find(collection: string, query?: DocumentQuery): AsyncIterable<StoredDocument>;
  /** How many documents a collection has, as the database estimates it. */
  count(collection: string): Promise<number>;
  /** Adds a document. Resolves to `false` when its `_id` is taken. */
  insert(collection: string, document: StoredDocument): Promise<boolean>;
  /**
   * Adds documents. Resolves to how many of them it added, where the `_id` or a unique key of one
   * is taken to fewer than all.
   */
  add(collection: string, documents: readonly StoredDocument[]): Promise<number>;
  /**
   * Sets members of documents, and removes those that are `undefined`. Resolves to how many of the
   * documents there are.
   */
  update(collection: string, changes: readonly DocumentUpdate[]): Promise<number>;
  remove(collection: string, removals: readonly Omit<DocumentUpdate, 'document'>[]): Promise<void>;
  /**
   * A value of a type that only this database has, as JSON holds it; `undefined` when JSON cannot.
   */
  toJson(value: object): string | number | undefined;
}

/** A lock that expires. Its holder renews it. */
export interface StoredLease {
  /** What it locks. */
  readonly _id: string;
  readonly token: string;
  /** Who has it, for others to read. */
  readonly holder: string;
  readonly acquired_at: Date;
  readonly expires_at: Date;
}

/** The leases in a database. Each method is one step that no other process sees half done. */
export interface Leases {
  /** Stores a lease unless another one lasts. Resolves to whether it is stored. */
  take(lease: StoredLease): Promise<boolean>;
  /** Moves the expiry of a lease that still has this token. Resolves to whether it has. */
  renew(id: string, token: string, expiresAt: Date): Promise<boolean>;
  release(id: string, token: string): Promise<void>;
}

/** The indexes that the gateway needs, each as `collection.name`. */
export interface Indexes {
  readonly needed: readonly string[];
  /**
   * Those that no index serves for, whatever its name; and indexes that stand in the way of one of
   * them, each as a sentence that says what to do.
   */
  check(): Promise<{ readonly missing: readonly string[]; readonly obstacles: readonly string[] }>;
  /** Creates the missing ones. Rejects with one line where another index stands in the way. */
  create(): Promise<void>;
}

/**
 * What a database gives an operator. Failures are the database's own errors, see
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
   * The database's time in epoch milliseconds; `undefined` when it does not tell it. Rejects when
   * it cannot be reached.
   */
  now(): Promise<number | undefined>;
  /**
   * One line about a failure of the database or its network that says what to do; `undefined` for
   * other errors.
   */
  describeFailure(error: unknown): string | undefined;
  /** Why the database failed, and what to do about it. */
  explainFailure(error: unknown): StoreFailure;
  close(): Promise<void>;
}

export interface OperatorOptions {
  readonly formNames: readonly string[];
  /** Timeout of one reply, in milliseconds. */
  readonly timeoutMs?: number;
}

/**
 * A kind of database. It connects on first use; opening throws a `SettingError` when the URL is not
 * usable.
 */
export interface Database {
  openStores(url: string, options: StoresOptions): DatabaseStores;
  openOperator(url: string, options: OperatorOptions): OperatorDatabase;
}
