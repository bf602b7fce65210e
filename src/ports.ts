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
import type { ParameterRepair, UsageTotals } from './domain/usage.ts';

/**
 * The trusted points of one of an artist's own series, ascending by date: two million points take
 * 20 MB so, and 115 MB as objects.
 */
export interface RecentPoints {
  readonly metric: Series['metric'];
  /** Series with the same days may share them. */
  readonly days: readonly Day[];
  /** The value of each day. */
  readonly values: readonly number[];
}

/**
 * An artist and what its own series were in the 35 days up to their newest points, which spikes are
 * computed from.
 */
export interface ListedArtist {
  readonly artist: Artist;
  readonly recent: readonly RecentPoints[];
  /**
   * Identifies the content as far as the artist's instant of change does not: part of every ETag.
   */
  readonly content?: string;
}

/** Everything that one load of a catalogue source returned. */
export interface CatalogueContents {
  readonly artists: readonly ListedArtist[];
  readonly labels: readonly Label[];
  /** By default labels are found by their names and aliases. */
  readonly detectLabel?: LabelDetector;
  readonly faults: readonly DocumentFault[];
}

/** What a gateway follows: the shortlist, or the keys. */
export interface Source<Contents> {
  /**
   * Loads all of it. Objects that did not change since the last load (an artist, the list of
   * labels, the contents themselves) are returned again, so that everything derived from them can
   * be reused. Rejects when they cannot be read.
   */
  load(): Promise<Contents>;
  /**
   * What the source answered in an earlier process, and the milliseconds since then; `undefined` if
   * unknown. Never rejects.
   */
  recall?(): Promise<{ readonly contents: Contents; readonly age: number } | undefined>;
}

/**
 * Reads all series of an artist that the catalogue source has returned; the history is empty when
 * there are none. Rejects when they cannot be read.
 */
export interface HistorySource {
  read(artist: Artist): Promise<History>;
}

/** Everything that one load of a key source returned. */
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
 * Every method rejects when the store cannot answer by `deadline`, milliseconds on the scale of
 * `Clock.elapsed()`; a unit that is late is not counted.
 */
export interface QuotaStore {
  /**
   * Counts one unit of every allowance if all of their limits allow it, else of none, in one step
   * that no other request sees half done. The allowances have one subject. Returns their statuses
   * in the same order; `granted` is whether that limit has room, so any `false` is a refusal.
   */
  consume(allowances: readonly Allowance[], deadline: number): Promise<readonly QuotaStatus[]>;
  /** Gives one unit back to the window of `status`: never below zero, never to a later window. */
  refund(allowance: Allowance, status: QuotaStatus, deadline: number): Promise<void>;
  /** Reads the status without counting; `granted` is whether the next request would be granted. */
  read(allowance: Allowance, deadline: number): Promise<QuotaStatus>;
  /** A subject for each of its servers to check; `undefined` if it has one. */
  probeSubjects?(): readonly string[];
}

/** Stores usage totals of all processes, and removes old ones by a clock of its own. */
export interface UsageStore {
  /**
   * Stores totals, replacing lower ones with the same id. Rejects when some were not stored;
   * writing them again is safe, they are counted once.
   */
  write(totals: UsageTotals): Promise<void>;
}

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds on a monotonic clock, unaffected by changes of the wall clock. */
  elapsed(): number;
}

/** Structured log: an event name and facts. Facts never hold a key or an authorization header. */
export interface Log {
  info(facts: object, event: string): void;
  warn(facts: object, event: string): void;
  error(facts: object, event: string): void;
}

/**
 * The result of one request, for the access log and the metrics. It holds no text that the client
 * sent.
 */
export interface RequestOutcome {
  readonly requestId: string;
  /** The trace that it is part of, if its client named one. */
  readonly traceId?: string | undefined;
  /** The public id of the key; `undefined` for an unknown key. */
  readonly key?: string | undefined;
  readonly organization?: string | undefined;
  /** The form that was served. */
  readonly form: FormName;
  /** The route's template; `undefined` for an unknown path. */
  readonly route?: string | undefined;
  readonly status: number;
  /** The code of the problem in its body; `undefined` if there is none. */
  readonly code?: string | undefined;
  /** Milliseconds until the client had received the response. */
  readonly ms: number;
  /** Body bytes sent. */
  readonly bytes: number;
  readonly adjusted: readonly ParameterRepair[];
  /** The quota window that was spent. */
  readonly refusedBy?: QuotaWindow | undefined;
  /** True if it was refused because too many requests were in flight. */
  readonly shed?: boolean;
  /** True if the connection ended before the whole response was sent. */
  readonly cutShort?: boolean;
  /** The HTTP parser's error code. */
  readonly reason?: string;
}

/** A source that the gateway reloads on an interval. */
export type SourceName = 'catalogue' | 'keys';
/** A store that requests wait for. */
export type StoreName = 'quotas' | 'history';

/** Records measurements. Never throws and never blocks. */
export interface Meter {
  /** Records an answered request. */
  request(outcome: RequestOutcome): void;
  /** Records a connection that was closed at once because too many were open. */
  connectionDropped(): void;
  /** Records a reload of a source: its duration in milliseconds and whether it succeeded. */
  refresh(source: SourceName, ms: number, answered: boolean): void;
  /** Records a call to a store: its duration in milliseconds and whether it succeeded. */
  store(store: StoreName, ms: number, answered: boolean): void;
}
