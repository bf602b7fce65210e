import type { QuotaWindow } from '../../../src/domain/caller.ts';
import type { Answer } from '../gateway-process.ts';

/** Limits by window, in the order of the headers. */
export type Limits = Readonly<Partial<Record<QuotaWindow, number>>>;

/**
 * Everything that a nemesis run saw. Instants are milliseconds of the observer's monotonic clock,
 * unless they say otherwise.
 */
export interface History {
  /** By subject. */
  readonly limits: Readonly<Record<string, Limits>>;
  readonly exchanges: readonly Exchange[];
  /**
   * The clock of Redis: offset to the observer's clock in milliseconds, from an instant on. The
   * first holds from the start.
   */
  readonly clock: readonly { readonly at: number; readonly offset: number }[];
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

interface WindowHeader {
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
    | 'wrong count'
    | 'fail-open';
  readonly subject: string;
  readonly message: string;
}

/** Cast: the keys of a record of windows. */
export const windowsOf = (limits: Limits) => Object.keys(limits) as QuotaWindow[];

const served = new Set([200, 304, 400, 403, 404]);

/** What the history needs of an answer. */
type QuotaAnswer = Pick<Answer, 'status' | 'headers' | 'body'>;

const outcomeOf = (answer: QuotaAnswer | undefined): Exchange['outcome'] => {
  if (answer === undefined) return 'unknown';
  if (served.has(answer.status)) return 'granted';
  if (answer.status === 429) return 'refused';
  return answer.status === 401 ? 'refunded' : 'unknown';
};

const headerOf = ({ headers }: QuotaAnswer, window: QuotaWindow): WindowHeader[] => {
  const prefix = window === 'day' ? 'x-ratelimit-day' : 'x-ratelimit';
  const read = (name: string) => Number(headers[`${prefix}-${name}`]);
  const [limit, remaining, reset] = [read('limit'), read('remaining'), read('reset')];
  return headers[`${prefix}-limit`] === undefined ? [] : [{ window, limit, remaining, reset }];
};

/** Records an answer that has just arrived, or `undefined` if none did, to a request of `sentAt`. */
export const createExchange = (
  subject: string,
  limits: Limits,
  sentAt: number,
  answer: QuotaAnswer | undefined,
): Exchange => {
  const windows = windowsOf(limits);
  const outcome = outcomeOf(answer);
  const retryAfter = answer?.headers['retry-after'];
  const refusedBy = answer?.body.includes('quota_exceeded') ? 'day' : windows[0];
  return {
    ...{ subject, sentAt, answeredAt: performance.now(), outcome },
    refusedBy: outcome === 'refused' ? refusedBy : undefined,
    retryAfter: retryAfter === undefined ? undefined : Number(retryAfter),
    windows: answer === undefined ? [] : windows.flatMap((window) => headerOf(answer, window)),
  };
};
