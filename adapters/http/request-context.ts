import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import type { ParameterRepair } from '../../src/domain/usage.ts';
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

/** One request on its way through the pipeline. Only the steps of the pipeline assign to it. */
export interface RequestContext {
  readonly requestId: string;
  /** The trace that the request is part of, for the log alone. */
  readonly traceId: string | undefined;
  /**
   * The one reading of the clock (epoch milliseconds) behind every instant, day and window of the
   * response.
   */
  readonly now: number;
  readonly method: string;
  readonly target: Target;
  readonly ifNoneMatch: string | undefined;
  /**
   * Asked only when there is a body to compress: parsing the header costs more than most checks.
   */
  readonly acceptsGzip: () => boolean;
  /** True if the client has disconnected: work for it may stop. */
  readonly isGone: () => boolean;
  readonly authentication: Authentication;
  /** The form that the key is pinned to; its quota policy applies whichever form is served. */
  readonly pinnedForm: Form;
  /** The form that is served. */
  readonly form: Form;
  /** Why the request is rejected before its form sees it. */
  readonly rejection: HttpRejection | undefined;
  route?: Route;
  /** How it used parameters, once its query was parsed. */
  uses?: readonly string[];
  /** The parameters that the form repaired to understand the query. */
  adjusted?: readonly ParameterRepair[];
  /** The code of the problem that the response reports. */
  code?: string;
  /** True if the request holds a slot of the concurrency limit. */
  holdsSlot: boolean;
  /** True if it was rejected because no slot was free. */
  shed: boolean;
  /** The charge of the request; `undefined` before it was charged and after a refund. */
  quota?: QuotaResult<QuotaPolicy> | undefined;
}

/** Which `Authorization` counts for a request; `undefined` for none. */
export type ReadAuthorization = (request: IncomingMessage) => string | undefined;

/** The header's value when it was sent exactly once; a repeated header authorizes no key. */
export const authorizationOf: ReadAuthorization = (request) =>
  timesSent(request, 'authorization') === 1 ? request.headers.authorization : undefined;

/** The parts of a Koa context that content negotiation needs. */
export interface EncodingContext {
  readonly req: Pick<IncomingMessage, 'headers'>;
  acceptsEncodings(encodings: string[]): string | false;
}

/**
 * Characters of `Accept-Encoding`: Koa takes milliseconds to parse one that fills the headers, which
 * a client without a key may send again and again.
 */
const maxAcceptLength = 500;

/** True if `Accept-Encoding` was sent and prefers gzip. A longer one counts as not sent. */
export const acceptsGzip = (ctx: EncodingContext): boolean => {
  const accepted = ctx.req.headers['accept-encoding'];
  if (accepted === undefined || accepted.length > maxAcceptLength) return false;
  return ctx.acceptsEncodings(['gzip', 'identity']) === 'gzip';
};

/** The holder of a key that was issued, whether or not the key is still valid. */
export const keyOwnerOf = (authentication: Authentication): KeyOwner | undefined =>
  'caller' in authentication ? authentication.caller.key : authentication.keyOwner;

/**
 * Makes the request's id, reads the clock once, checks the HTTP message, authenticates the caller
 * and chooses the form: the one that `X-Envelope` names if the key may override its form, else the
 * one that the key is pinned to, else `UNKNOWN_KEY_FORM` (decisions, "Which form"). Until keys are
 * loaded, and for a rejected request, it is the first form. Never throws: a problem with the key is
 * raised later, once the path is known to exist.
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
