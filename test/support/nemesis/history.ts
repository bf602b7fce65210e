import type { QuotaWindow } from '../../../src/domain/caller.ts';

/**
 * Everything that a nemesis run saw. Instants are milliseconds of the observer's monotonic clock,
 * unless they say otherwise.
 */
export interface History {
  /** The limits by subject and window. */
  readonly limits: Readonly<Record<string, Readonly<Partial<Record<QuotaWindow, number>>>>>;
  readonly exchanges: readonly Exchange[];
  /**
   * The clock of Redis: offset to the observer's clock in milliseconds, from an instant on. The
   * first holds from the start.
   */
  readonly clock: readonly ClockStep[];
  /**
   * When Redis may have lost writes that it had acknowledged (a fail-over, a crash before the file
   * was written).
   */
  readonly losses: readonly Interval[];
  /** When no Redis node could answer any gateway. */
  readonly outages: readonly Interval[];
  /** Counts read from Redis while no request was under way. */
  readonly counts: readonly Count[];
}

export interface Interval {
  readonly from: number;
  readonly to: number;
}

export interface ClockStep {
  readonly at: number;
  readonly offset: number;
}

/** One request and its answer. */
export interface Exchange {
  readonly subject: string;
  readonly sentAt: number;
  readonly answeredAt: number;
  /**
   * `granted`: served, the unit stays counted. `refused`: 429. `refunded`: refused for another
   * reason after the unit was counted (401), so the gateway gives it back. `unknown`: 503, 500 or
   * no answer, so it may be counted or not.
   */
  readonly outcome: 'granted' | 'refused' | 'refunded' | 'unknown';
  /** The window that refused, by the code of the answer. */
  readonly refusedBy: QuotaWindow | undefined;
  /** Whole seconds. */
  readonly retryAfter: number | undefined;
  /** What the headers say. */
  readonly windows: readonly WindowHeader[];
}

export interface WindowHeader {
  readonly window: QuotaWindow;
  readonly limit: number;
  readonly remaining: number;
  /** Epoch seconds. */
  readonly reset: number;
}

export interface Count {
  readonly at: number;
  readonly subject: string;
  readonly window: QuotaWindow;
  /** End of the window, epoch seconds by the clock of Redis. */
  readonly reset: number;
  readonly count: number;
}

/** A promise of the quotas that the history breaks. */
export interface Finding {
  readonly rule:
    | 'over-granted'
    | 'false refusal'
    | 'wrong window'
    | 'headers contradict'
    | 'repeated unit'
    | 'wrong count'
    | 'fail-open';
  readonly subject: string;
  readonly message: string;
}
