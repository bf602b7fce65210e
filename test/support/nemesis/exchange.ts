import type { QuotaWindow } from '../../../src/domain/caller.ts';
import type { Answer } from '../gateway-process.ts';
import type { Exchange, WindowHeader } from './history.ts';
import { limitsOf, type NemesisPartner, subjectOf } from './partners.ts';

const served = new Set([200, 304, 400, 403, 404]);

const headerOf = ({ headers }: Answer, window: QuotaWindow): WindowHeader[] => {
  const prefix = window === 'day' ? 'x-ratelimit-day' : 'x-ratelimit';
  if (headers[`${prefix}-limit`] === undefined) return [];
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => Number(headers[`${prefix}-${name}`]));
  return [{ window, limit: limit ?? 0, remaining: remaining ?? 0, reset: reset ?? 0 }];
};

const outcomeOf = (answer: Answer | undefined): Exchange['outcome'] => {
  if (answer === undefined) return 'unknown';
  if (served.has(answer.status)) return 'granted';
  if (answer.status === 429) return 'refused';
  return answer.status === 401 ? 'refunded' : 'unknown';
};

/** Reads an answer as the checker sees it; `undefined` is no answer. */
export const readExchange = (
  partner: NemesisPartner,
  gateway: number,
  sentAt: number,
  answer: Answer | undefined,
): Exchange => {
  const windows = Object.keys(limitsOf(partner)) as QuotaWindow[]; // the keys of a record of windows
  const outcome = outcomeOf(answer);
  const retryAfter = answer?.headers['retry-after'];
  const refusedBy = answer?.body.includes('quota_exceeded') ? 'day' : windows[0];
  return {
    subject: subjectOf(partner),
    gateway,
    sentAt,
    answeredAt: performance.now(),
    outcome,
    refusedBy: outcome === 'refused' ? refusedBy : undefined,
    retryAfter: retryAfter === undefined ? undefined : Number(retryAfter),
    windows: answer === undefined ? [] : windows.flatMap((window) => headerOf(answer, window)),
  };
};
