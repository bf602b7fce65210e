import type { QuotaWindow } from '../../../src/domain/caller.ts';
import type { Answer } from '../gateway-process.ts';
import type { Exchange, WindowHeader } from './history.ts';

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
  if (headers[`${prefix}-limit`] === undefined) return [];
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    Number(headers[`${prefix}-${name}`]),
  );
  return [{ window, limit: limit ?? 0, remaining: remaining ?? 0, reset: reset ?? 0 }];
};

/**
 * Records an answer that has just arrived, or `undefined` if none did, to a request of `sentAt`.
 * `windows`: the windows of the subject, in the order of the headers.
 */
export const createExchange = (
  subject: string,
  windows: readonly QuotaWindow[],
  sentAt: number,
  answer: QuotaAnswer | undefined,
): Exchange => {
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
