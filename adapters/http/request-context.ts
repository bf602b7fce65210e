import type { IncomingMessage } from 'node:http';
import type { Caller } from '../../src/domain/caller.ts';
import { Problem } from '../../src/domain/problem.ts';
import type { ParameterRepair } from '../../src/domain/usage.ts';
import type { Authentication } from '../../src/keys/authenticate.ts';
import type { Charge, QuotaResult } from '../../src/quota/quota.ts';
import type { Form, Query, QuotaPolicy, Route } from '../forms/form.ts';
import { type HttpRejection, timesSent } from './request-checks.ts';
import type { Target } from './request-target.ts';

/** One request on its way through the pipeline, and what is known of it so far. */
export interface RequestContext {
  readonly requestId: string;
  /** The one reading of the clock (epoch milliseconds) that everything in the answer is told from. */
  readonly now: number;
  readonly method: string;
  readonly target: Target;
  readonly ifNoneMatch: string | undefined;
  readonly acceptsGzip: () => boolean;
  readonly access: Authentication;
  /** The form of the key, whose quota policy holds whichever form is served. */
  readonly pinned: Form;
  /** The form that is served. */
  readonly form: Form;
  /** Why no form gets to see it. */
  readonly refused: HttpRejection | undefined;
  route?: Route;
  /** Its parameters, once they were read. */
  query?: Query;
  /** Whether it has one of the places for requests in work. */
  holdsPlace: boolean;
  /** Whether it was turned away because there was none. */
  shed: boolean;
  receipt?: QuotaResult<QuotaPolicy>;
  adjusted?: readonly ParameterRepair[];
}

export const callerOf = ({ access }: RequestContext): Caller | undefined =>
  'caller' in access ? access.caller : undefined;

/** Whose key it came with, whether or not the key opens anything now. */
export const keyOwnerOf = ({ access }: RequestContext): Caller | undefined =>
  'caller' in access ? access.caller : access.keyOwner;

export const toIso = (instant: number): string => new Date(instant).toISOString();

/** The header's value when it was sent once: two of them are no authorization. */
export const authorizationOf = (request: IncomingMessage): string | undefined =>
  timesSent(request, 'authorization') === 1 ? request.headers.authorization : undefined;

const quotaNames = (prefix: QuotaPolicy['header']) => ({
  limit: `${prefix}-Limit`,
  remaining: `${prefix}-Remaining`,
  reset: `${prefix}-Reset`,
});

/** The names of a policy's headers. Put together for each request, they would cost more than what they name. */
const quotaHeaders: Readonly<Record<QuotaPolicy['header'], ReturnType<typeof quotaNames>>> = {
  'X-RateLimit': quotaNames('X-RateLimit'),
  'X-RateLimit-Day': quotaNames('X-RateLimit-Day'),
};

/** How every window stands, under the names that the pinned form's policy gives (specification, "Limits"). */
const addQuotaHeaders = (headers: Record<string, string>, spent: readonly Charge<QuotaPolicy>[]): void => {
  for (const { allowance, status } of spent) {
    const names = quotaHeaders[allowance.header];
    headers[names.limit] = String(allowance.limit);
    headers[names.remaining] = String(Math.max(allowance.limit - status.used, 0));
    headers[names.reset] = String(Math.ceil(status.endsAt / 1000));
  }
};

/** The problem of an allowance without room; asking again makes sense when its window ends. */
export const quotaProblem = ({ allowance, status }: Charge<QuotaPolicy>): Problem =>
  new Problem(allowance.refusal, `The quota of ${allowance.limit} requests per ${allowance.window} is spent.`, {
    retryAfter: Math.max(1, Math.ceil(status.msLeft / 1000)),
  });

/** The problem of a quota store that cannot judge: neither let through nor called spent. */
export const quotaFailure = (cause: unknown): Problem =>
  new Problem('unavailable', 'Usage controls are temporarily unavailable.', { cause });

/** What every answer depends on beside its URL (decisions, "Freshness and caching"). */
export const vary = 'Authorization, X-Envelope';

/** Of what nobody may keep. */
export const noStore = { 'Cache-Control': 'no-store' };

/** The headers that every response carries, whatever became of its request. */
export const commonHeaders = (form: Form, requestId: string): Record<string, string> => ({
  'X-Request-Id': requestId,
  'X-Envelope-Served': form.name,
  'X-Content-Type-Options': 'nosniff',
  Vary: vary,
});

/** The same, and those that what happened so far adds. One object is filled: every request passes here. */
export const responseHeaders = (exchange: RequestContext): Record<string, string> => {
  const { form, requestId, receipt, adjusted = [] } = exchange;
  const caller = callerOf(exchange);
  const headers = commonHeaders(form, requestId);
  if (caller !== undefined) Object.assign(headers, form.notices(caller));
  if (receipt !== undefined) addQuotaHeaders(headers, receipt.charges);
  if (adjusted.length > 0) {
    headers['X-Params-Adjusted'] = adjusted.map(({ parameter, used }) => `${parameter}=${used}`).join(', ');
  }
  return headers;
};
