import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import type { AdjustedParameter } from '../../src/domain/usage.ts';
import type { Gateway } from '../../src/gateway.ts';
import { type Authentication, authenticate, type KeyOwner } from '../../src/keys/authenticate.ts';
import type { QuotaResult } from '../../src/quota/quota.ts';
import type { Form, QuotaPolicy, Route } from '../forms/form.ts';
import {
  checkRequest,
  type HttpRejection,
  httpRejections,
  timesSent,
  traceIdOf,
} from './request-checks.ts';
import { isTooLong, splitTarget, type Target } from './request-target.ts';

/** The state of one request in the pipeline. Only the pipeline's steps assign to it. */
export interface RequestContext {
  readonly requestId: string;
  /** The trace id of the request, for the log only. */
  readonly traceId: string | undefined;
  /**
   * The request's only reading of the clock (epoch milliseconds), for every time, day and window of
   * the response.
   */
  readonly now: number;
  readonly method: string;
  readonly target: Target;
  readonly ifNoneMatch: string | undefined;
  /** Called only if there is a body to compress: parsing the header costs more than most checks. */
  readonly acceptsGzip: () => boolean;
  /** True if the client has disconnected. Work for the request can stop. */
  readonly isGone: () => boolean;
  readonly authentication: Authentication;
  /** The form of the key. Its quota policy applies even if another form is served. */
  readonly pinnedForm: Form;
  readonly form: Form;
  /** Why the request is rejected before its form sees it. */
  readonly rejection: HttpRejection | undefined;
  route?: Route;
  /** The parameter uses; set when the query is parsed. */
  uses?: readonly string[];
  /** The parameters that the form adjusted to understand the query. */
  adjusted?: readonly AdjustedParameter[];
  /** The code of the problem that the response reports. */
  code?: string;
  /** True if the request holds a slot of the concurrency limit. */
  holdsSlot: boolean;
  /** True if the request was rejected because no slot was free. */
  shed: boolean;
  /** The charge of the request; `undefined` before the charge and after a refund. */
  quota?: QuotaResult<QuotaPolicy> | undefined;
}

/** Returns the `Authorization` value of a request; `undefined` for none. */
export type ReadAuthorization = (request: IncomingMessage) => string | undefined;

/** Returns the header's value if it was sent exactly once. A repeated header authorizes no key. */
export const authorizationOf: ReadAuthorization = (request) =>
  timesSent(request, 'authorization') === 1 ? request.headers.authorization : undefined;

/** The parts of a Koa context that content negotiation needs. */
export interface EncodingContext {
  readonly req: Pick<IncomingMessage, 'headers'>;
  acceptsEncodings(encodings: string[]): string | false;
}

/**
 * Maximum length of `Accept-Encoding`, in characters. Koa parses a header of maximum size in
 * milliseconds, and any client can send one repeatedly.
 */
const maxAcceptLength = 500;

/** True if `Accept-Encoding` prefers gzip. A header over the limit is ignored. */
export const acceptsGzip = (ctx: EncodingContext): boolean => {
  const accepted = ctx.req.headers['accept-encoding'];
  if (accepted === undefined || accepted.length > maxAcceptLength) return false;
  return ctx.acceptsEncodings(['gzip', 'identity']) === 'gzip';
};

/** The owner of a known key, even if the key is no longer valid. */
export const keyOwnerOf = (authentication: Authentication): KeyOwner | undefined =>
  'caller' in authentication ? authentication.caller.key : authentication.keyOwner;

/**
 * Assigns the request id, reads the clock, checks the HTTP message, authenticates the caller and
 * picks the form: `X-Envelope` if the key allows it, else the key's form, else `UNKNOWN_KEY_FORM`
 * (decisions, "Which form"). A rejected request, and any request before keys are loaded, gets the
 * first form. Never throws; the pipeline raises authentication errors after it has found the route.
 */
export const openRequest = (
  ctx: Context,
  { clock, keys, settings }: Pick<Gateway, 'clock' | 'keys' | 'settings'>,
  forms: readonly [Form, ...Form[]],
  readAuthorization: ReadAuthorization = authorizationOf,
): RequestContext => {
  const request = ctx.req;
  const now = clock.now();
  const target = splitTarget(request.url ?? '');
  const authentication = authenticate(
    readAuthorization(request),
    keys.value(),
    keys.isFresh(),
    now,
    target.query,
  );
  const formNamed = (name: unknown): Form | undefined => forms.find((form) => form.name === name);
  const unknownKeyForm = keys.value() === undefined ? undefined : settings.unknownKeyForm;
  const pinnedForm =
    formNamed(keyOwnerOf(authentication)?.form) ?? formNamed(unknownKeyForm) ?? forms[0];
  const mayOverride = 'caller' in authentication && authentication.caller.key.allowEnvelopeOverride;
  const override = mayOverride ? formNamed(request.headers['x-envelope']) : undefined;
  const served = override ?? pinnedForm;
  const rejection =
    checkRequest(request) ??
    (served.refusesLongQueries && isTooLong(target) ? httpRejections.query : undefined);
  return {
    requestId: randomUUID(),
    traceId: traceIdOf(request),
    now,
    method: request.method ?? '',
    target,
    ifNoneMatch: request.headers['if-none-match'],
    acceptsGzip: () => acceptsGzip(ctx),
    isGone: () => ctx.res.destroyed,
    authentication,
    pinnedForm,
    form: rejection === undefined ? served : forms[0],
    rejection,
    holdsSlot: false,
    shed: false,
  };
};
