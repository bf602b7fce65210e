import type { Allowance, FormName, KeyRecord, Organization, QuotaWindow } from './domain/caller.ts';
import type { Day } from './domain/day.ts';
import type { Artist, History, Label, Series } from './domain/model.ts';
import type { ParameterRepair, UsageCount } from './domain/usage.ts';

/** A stored document that could not be used, and why: it is left out and reported. */
export interface Rejection {
  readonly collection: string;
  /** Where the document is: its id, or its file and place there. */
  readonly document: string;
  readonly reason: string;
}

/** An artist with its own recent points (35 days at least), from which spikes are told. */
export interface ListedArtist {
  readonly artist: Artist;
  readonly recent: readonly Series[];
}

export interface CatalogueContents {
  readonly artists: readonly ListedArtist[];
  readonly labels: readonly Label[];
  readonly rejected: readonly Rejection[];
}

/**
 * Loads the whole shortlist. What did not change since the last load keeps its identity (the artist, the list of labels,
 * even the contents), so that nothing derived from it has to be made again.
 */
export interface CatalogueSource {
  load(): Promise<CatalogueContents>;
}

/** Reads all series of one artist; an artist without any has an empty history. Rejects when they cannot be read. */
export interface HistorySource {
  read(artist: Artist): Promise<History>;
}

export interface KeyRecords {
  readonly keys: readonly KeyRecord[];
  readonly organizations: readonly Organization[];
}

/** Loads all keys and organizations; the same object again when nothing changed. */
export interface KeySource {
  load(): Promise<KeyRecords>;
}

/** How a subject stands in the current window of an allowance. */
export interface QuotaStatus {
  readonly granted: boolean;
  /** Units counted in this window, never more than the limit. */
  readonly used: number;
  /** End of the window in epoch milliseconds, by the store's clock. */
  readonly endsAt: number;
  /** Milliseconds from now to that end, by the same clock. */
  readonly msLeft: number;
}

/**
 * Counts requests in clock-aligned windows; its own clock decides which window it is. Every method rejects when the store
 * cannot answer by the deadline, a moment on the scale of `Clock.elapsed()`; a unit whose deadline passed is not counted.
 */
export interface QuotaStore {
  /** Counts one unit if there is room; a refusal counts nothing. */
  consume(allowance: Allowance, deadline: number): Promise<QuotaStatus>;
  /** Takes one unit back out of the window that `status` tells of; never below zero, never out of a later window. */
  refund(allowance: Allowance, status: QuotaStatus, deadline: number): Promise<void>;
  /** How the subject stands, without counting; `granted` says whether there is room. */
  read(allowance: Allowance, deadline: number): Promise<QuotaStatus>;
}

/** What one process has counted of one thing on one day so far: a total, written again whenever it has grown. */
export interface DayTotal extends UsageCount {
  /** Told apart from everything else that any process ever counts. */
  readonly id: string;
}

/** What one process has counted of one key in one clock hour so far, by the minute. */
export interface HourTotal {
  readonly id: string;
  readonly keyId: string;
  readonly organizationId: string;
  /** The hour's first instant, in epoch milliseconds. */
  readonly hour: number;
  readonly requests: number;
  /** By the minute's number in the hour, 0 to 59; one without a request is not there. */
  readonly minutes: ReadonlyMap<number, { readonly requests: number; readonly refused: number }>;
}

export interface UsageTotals {
  readonly days: readonly DayTotal[];
  readonly hours: readonly HourTotal[];
}

/** Keeps what processes have counted of partners' use. */
export interface UsageStore {
  /**
   * Keeps totals in place of lower ones with the same id. Rejects when not all were kept; then they may be written again, as
   * often as it takes, and count once.
   */
  write(totals: UsageTotals): Promise<void>;
  /** Removes what was counted before this day, and by the minute before the hour of this instant (epoch milliseconds). */
  remove(beforeDay: Day, before: number): Promise<void>;
}

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds from some fixed moment, unmoved by changes of the wall clock. */
  elapsed(): number;
}

/** Structured log: a short event name in words and facts beside it. Facts never hold a key or an authorization header. */
export interface Log {
  info(facts: object, event: string): void;
  warn(facts: object, event: string): void;
  error(facts: object, event: string): void;
}

/** What became of one request, as the log and the metrics tell it. Nothing in it is of the client's making. */
export interface Outcome {
  readonly requestId: string;
  /** The public id of the key, when it was issued to somebody. */
  readonly key: string | undefined;
  readonly organization: string | undefined;
  /** The form that was served. */
  readonly form: FormName;
  /** The template of the route; `undefined` when there is nothing at the path. */
  readonly route: string | undefined;
  readonly status: number;
  /** Milliseconds until the client had taken the response. */
  readonly ms: number;
  /** Bytes of the body that were sent. */
  readonly bytes: number;
  readonly adjusted: readonly ParameterRepair[];
  /** The window of the quota that had no room. */
  readonly refusedBy: QuotaWindow | undefined;
  /** Whether it was turned away because too many others were in work. */
  readonly shed: boolean;
  /** Whether the response ended before its time. */
  readonly cutShort: boolean;
  /** What the HTTP parser objected to, in its own words. */
  readonly reason: string | undefined;
}

/** What is followed, and the stores that are asked while a request waits. */
export type SourceName = 'catalogue' | 'keys';
export type StoreName = 'quotas' | 'history';

/** Measures what happens. Told once of everything, it never fails and keeps nobody waiting. */
export interface Meter {
  /** A request was answered. */
  request(outcome: Outcome): void;
  /** A source was asked for its newest: how long it took, and whether it answered. */
  refresh(source: SourceName, ms: number, answered: boolean): void;
  /** A store was asked while a request waited. */
  store(store: StoreName, ms: number, answered: boolean): void;
}
