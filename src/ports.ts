import type {
  Allowance,
  FormName,
  KeyRecord,
  Organization,
  QuotaWindow,
  UnreadableKey,
} from './domain/caller.ts';
import type { Day } from './domain/day.ts';
import type { DocumentFault } from './domain/document-fault.ts';
import type { Artist, History, Label, Series } from './domain/model.ts';
import type { LabelDetector } from './domain/signals.ts';
import type { AdjustedParameter, UsageTotals } from './domain/usage.ts';

/**
 * The trusted points of one of an artist's own series, ascending by date. Two million points take
 * 20 MB in this form, and 115 MB as objects.
 */
export interface RecentPoints {
  readonly metric: Series['metric'];
  /** Series with the same days may share them. */
  readonly days: readonly Day[];
  /** The value of each day. */
  readonly values: readonly number[];
}

/**
 * An artist and its own series in the 35 days up to their newest points. Spikes are computed from
 * them.
 */
export interface ListedArtist {
  readonly artist: Artist;
  readonly recent: readonly RecentPoints[];
  /** Identifies content that can change without the artist's change time: part of every ETag. */
  readonly content?: string;
}

/** The result of one load of a catalogue source. */
export interface CatalogueContents {
  readonly artists: readonly ListedArtist[];
  readonly labels: readonly Label[];
  /** By default, labels are found by their names and aliases. */
  readonly detectLabel?: LabelDetector;
  readonly faults: readonly DocumentFault[];
}

/** A source that the gateway reloads: the shortlist or the keys. */
export interface Source<Contents> {
  /**
   * Loads everything. Returns the same objects again if they did not change since the last load (an
   * artist, the list of labels, the contents), so that derived data can be reused. Rejects if the
   * source cannot be read.
   */
  load(): Promise<Contents>;
  /**
   * The contents that an earlier process loaded, and their age in milliseconds; `undefined` if
   * unknown. Never rejects.
   */
  recall?(): Promise<{ readonly contents: Contents; readonly age: number } | undefined>;
}

/**
 * Reads all series of an artist of the catalogue source; the history is empty if there are none.
 * Rejects if the source cannot be read.
 */
export interface HistorySource {
  read(artist: Artist): Promise<History>;
}

/** The result of one load of a key source. */
export interface KeyRecords {
  readonly keys: readonly KeyRecord[];
  readonly organizations: readonly Organization[];
  readonly unreadable?: readonly UnreadableKey[];
  readonly faults?: readonly DocumentFault[];
}

export type CatalogueSource = Source<CatalogueContents>;
export type KeySource = Source<KeyRecords>;

/** The units of an allowance that a subject has used in the current window. */
export interface QuotaStatus {
  readonly granted: boolean;
  /** Units counted in this window, capped at the limit. */
  readonly used: number;
  /** End of the window in epoch milliseconds, by the store's clock. */
  readonly endsAt: number;
  /** Milliseconds until `endsAt`, by the same clock. */
  readonly msLeft: number;
}

/**
 * Counts requests in clock-aligned UTC windows of the store's own clock (decisions, "Quotas").
 * Every method rejects if the store does not reply by `deadline`, milliseconds on the scale of
 * `Clock.elapsed()`. A late unit is not counted.
 */
export interface QuotaStore {
  /**
   * Atomically counts one unit of every allowance if all their limits allow it, else of none. The
   * allowances have one subject. Returns their statuses in the same order. `granted` is true if
   * that limit has a unit left, so any `false` is a refusal.
   */
  consume(allowances: readonly Allowance[], deadline: number): Promise<readonly QuotaStatus[]>;
  /** Refunds one unit to the window of `status`: never below zero, never to a later window. */
  refund(allowance: Allowance, status: QuotaStatus, deadline: number): Promise<void>;
  /** Reads the status without counting. `granted` is true if the next request would be granted. */
  read(allowance: Allowance, deadline: number): Promise<QuotaStatus>;
  /** One subject per server, to check each server; `undefined` for a single server. */
  probeSubjects?(): readonly string[];
}

/** Stores the usage totals of all processes. Removes old totals by its own clock. */
export interface UsageStore {
  /**
   * Stores totals, replacing lower totals with the same id. Rejects if some were not stored.
   * Writing them again is safe: they are counted once.
   */
  write(totals: UsageTotals): Promise<void>;
}

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds on a monotonic clock, unaffected by changes to the wall clock. */
  elapsed(): number;
}

/**
 * Structured log: an event name and facts. Facts never contain a key or an authorization header.
 */
export interface Log {
  info(facts: object, event: string): void;
  warn(facts: object, event: string): void;
  error(facts: object, event: string): void;
}

/**
 * The result of one request, for the access log and the metrics. Contains no text that the client
 * sent.
 */
export interface RequestOutcome {
  readonly requestId: string;
  /** The trace id, if the client sent one. */
  readonly traceId?: string | undefined;
  /** The public id of the key; `undefined` for an unknown key. */
  readonly key?: string | undefined;
  readonly organization?: string | undefined;
  readonly form: FormName;
  /** The route's template; `undefined` for an unknown path. */
  readonly route?: string | undefined;
  readonly status: number;
  /** The error code in the body; `undefined` if there is none. */
  readonly code?: string | undefined;
  /** Milliseconds until the client had received the response. */
  readonly ms: number;
  /** Body bytes sent. */
  readonly bytes: number;
  readonly adjusted: readonly AdjustedParameter[];
  /** The quota window that was used up. */
  readonly refusedBy?: QuotaWindow | undefined;
  /** True if the request was rejected because too many were in flight. */
  readonly shed?: boolean;
  /** True if the connection ended before the whole response was sent. */
  readonly cutShort?: boolean;
  /** The HTTP parser's error code. */
  readonly reason?: string;
}

export type SourceName = 'catalogue' | 'keys';
/** A store that requests wait for. */
export type StoreName = 'quotas' | 'history';

/** Records measurements. Never throws and never blocks. */
export interface Meter {
  request(outcome: RequestOutcome): void;
  /** Records a connection that was closed because too many were open. */
  connectionDropped(): void;
  /** Records a reload of a source: its duration in milliseconds, and if it succeeded. */
  refresh(source: SourceName, ms: number, succeeded: boolean): void;
  /** Records a call to a store: its duration in milliseconds, and if it succeeded. */
  store(store: StoreName, ms: number, succeeded: boolean): void;
}
