import type { Context } from 'koa';
import type { Caller, Scope } from '../../src/domain/caller.ts';
import { dayOf } from '../../src/domain/day.ts';
import { dataUnavailable, Problem } from '../../src/domain/problem.ts';
import { countOf } from '../../src/domain/quantities.ts';
import type { Gateway } from '../../src/gateway.ts';
import { type Charge, consume, refund } from '../../src/quota/quota.ts';
import { scopedLru } from '../../src/runtime/memo.ts';
import type {
  Form,
  KeyRoute,
  ParsedQuery,
  PathParameters,
  PublicRoute,
  QuotaPolicy,
} from '../forms/form.ts';
import { createParameterUses, type ParameterUses } from '../forms/parameter-usage.ts';
import { gzipBody, isWorthGzip, plainBody, renderValue } from '../rendering/body.ts';
import { createRenderer, type Render } from '../rendering/render.ts';
import { beginFault, demoFaultOf, endFault } from './demo-faults.ts';
import { matchesAnyTag, matchesIfNoneMatch, weakETag } from './etag.ts';
import { createRouteFinder } from './form-router.ts';
import { helpLink } from './reference-links.ts';
import { rejectionReply } from './rejection.ts';
import { openRequest, type ReadAuthorization, type RequestContext } from './request-context.ts';
import { countUsage, createLogLimit, logRequest, outcomeOf } from './request-log.ts';
import { isReadable, readQuery, type Target } from './request-target.ts';
import {
  noStore,
  publicPathOf,
  putLinksBelow,
  responseHeaders,
  secondsLeft,
  toIso,
  varyWithEncoding,
} from './response-headers.ts';
import { createResultCache, type TaggedResult } from './result-cache.ts';
import { type Reply, send } from './send.ts';

/** Authenticated requests in flight per gateway. More would only queue for the processor. */
const maxInFlight = 256;

const requireGet = ({ method }: RequestContext): void => {
  if (method !== 'GET') throw new Problem('method-not-allowed', 'Only GET is supported.');
};

/**
 * Replies without the catalogue. The tag of the reply shows clients when to load their copy again.
 */
const replyPublic = (
  request: RequestContext,
  route: PublicRoute,
  { catalogue, settings, version }: Gateway,
): Reply => {
  const { requestId, now } = request;
  const headers = Object.assign(responseHeaders(request), noStore);
  const identity = catalogue.value()?.snapshot.identity;
  const spikes = JSON.stringify(settings.spikes);
  if (identity !== undefined) headers['ETag'] = weakETag(version, identity, spikes, dayOf(now));
  const body = renderValue(route.present({ requestId, generatedAt: toIso(now) }));
  return { status: 200, headers, body };
};

const requireCaller = ({ authentication }: RequestContext): Caller => {
  if ('problem' in authentication) throw authentication.problem;
  return authentication.caller;
};

/**
 * Limits the requests in flight: a request over the limit fails before it uses any resources. A
 * slot is released when the reply is made, before it is sent, so slow clients do not hold slots.
 */
const createSlots = () => {
  let inFlight = 0;
  return {
    take(request: RequestContext): void {
      request.holdsSlot = inFlight < maxInFlight;
      request.shed = !request.holdsSlot;
      if (request.shed)
        throw new Problem('unavailable', 'The server is busy: retry in 1 second.', {
          retryAfter: 1,
        });
      inFlight += 1;
    },
    release(request: RequestContext): void {
      if (request.holdsSlot) inFlight -= 1;
    },
  };
};

const requireFresh = ({ catalogue }: Pick<Gateway, 'catalogue'>) => {
  const value = catalogue.isFresh() ? catalogue.value() : undefined;
  if (value === undefined) throw dataUnavailable();
  return value;
};

/** The deadline for store calls, in milliseconds on the scale of `Clock.elapsed()`. */
const storeDeadline = ({ clock, settings }: Pick<Gateway, 'clock' | 'settings'>): number =>
  clock.elapsed() + settings.storeTimeoutMs;

/** The problem of a used-up quota window. Its retry time is the end of the window. */
const quotaSpent = ({ allowance, status }: Charge<QuotaPolicy>): Problem => {
  const { limit, window, refusal } = allowance;
  const retryAfter = secondsLeft(status);
  const spent = `The quota of ${countOf(limit, 'request')} per ${window} is spent`;
  return new Problem(refusal, `${spent}: retry in ${countOf(retryAfter, 'second')}.`, {
    retryAfter,
  });
};

/** Charges a request to the quotas of its key's form, and records the charge. */
const charge = async (request: RequestContext, caller: Caller, gateway: Gateway): Promise<void> => {
  const allowances = request.pinnedForm.allowances(caller);
  request.quota = await consume(gateway.quotas, allowances, storeDeadline(gateway));
  const { refusal, failure } = request.quota;
  if (failure !== undefined)
    throw new Problem('unavailable', 'Usage controls are temporarily unavailable.', {
      cause: failure,
    });
  if (refusal !== undefined) throw quotaSpent(refusal);
};

const requireScope = ({ scopes }: Caller, scope: Scope): void => {
  if (!scopes.has(scope))
    throw new Problem('insufficient-scope', `This key lacks the scope ${scope}.`);
};

/** Compares the tag, renders the result and encodes it. */
const replyResult = async (
  request: RequestContext,
  caller: Caller,
  { tag, present }: TaggedResult,
  render: Render,
): Promise<Reply> => {
  const { form, now, requestId, ifNoneMatch, acceptsGzip, isGone } = request;
  const headers = responseHeaders(request);
  headers['Cache-Control'] = 'private, no-cache';
  if (form.compressed) headers['Vary'] = varyWithEncoding;
  const isKnown = tag !== undefined && matchesIfNoneMatch(tag, ifNoneMatch);
  if (tag !== undefined) headers['ETag'] = tag;
  // A client that sends `*` may have no tag; only the histories show if the result has a tag.
  if (isKnown && !matchesAnyTag(ifNoneMatch)) return { status: 304, headers, body: undefined };
  // The client has disconnected: sending fails before the first byte, so render nothing.
  if (isGone()) return { status: 200, headers, body: undefined };
  const meta = { requestId, generatedAt: toIso(now), partner: caller.key.partner };
  const reader = { organizationId: caller.organization.id, isGone };
  const rendered = await render(present(meta), reader);
  if (!rendered.complete) delete headers['ETag'];
  else if (isKnown) {
    rendered.release?.();
    return { status: 304, headers, body: undefined };
  }
  if (!form.compressed || !isWorthGzip(rendered) || !acceptsGzip())
    return { status: 200, headers, body: plainBody(rendered) };
  headers['Content-Encoding'] = 'gzip';
  return { status: 200, headers, body: await gzipBody(rendered) };
};

interface ParsedTarget {
  readonly parsed: ParsedQuery;
  /** The parameter uses, for the usage counts. */
  readonly uses: readonly string[];
}

/** Maximum number of cached targets per route, and their maximum length in characters. */
const [maxTargets, maxTargetLength] = [2_000, 300];

/** Creates the function that parses targets. It raises the problems of the route's form. */
const createTargetParser = (usesOf: ParameterUses) => {
  // Without it every request parses its target: a sixth of the processor time of a 304.
  // Bound: 2,000 for each route; key: target of at most 300 characters; lifetime: process, until
  // dropped (LRU).
  const targets = scopedLru<KeyRoute, ParsedTarget>(maxTargets);
  return (route: KeyRoute, path: PathParameters, target: Target): ParsedTarget => {
    const parse = (): ParsedTarget => {
      // The router keeps a broken escape literally, and no record has such a name.
      if (!isReadable(target.path))
        throw new Problem('not-found', 'There is nothing at this path.');
      const query = readQuery(target);
      const parsed = route.parse(query, path);
      return { parsed, uses: usesOf(route, query, parsed.adjusted) };
    };
    return target.text.length > maxTargetLength ? parse() : targets(route, parse, target.text);
  };
};

/** Creates the function that logs causes of 5xx: by clients, at most one in ten seconds. */
const createProblemLog = ({ clock, log }: Gateway) => {
  const mayWarn = createLogLimit(clock);
  return ({ requestId }: RequestContext, problem: Problem, status: number): void => {
    if (status < 500 || problem.cause === undefined) return;
    if (!problem.causedByCaller) log.error({ requestId, err: problem }, 'request failed');
    else if (mayWarn()) log.warn({ requestId, err: problem }, 'request refused');
  };
};

/** Refunds the charge of a request, if any, without waiting. */
const refundCharge = (request: RequestContext, gateway: Gateway): void => {
  const { requestId, quota } = request;
  if (quota === undefined || quota.refusal !== undefined) return;
  request.quota = undefined;
  refund(gateway.quotas, quota.charges, storeDeadline(gateway)).catch((err: unknown) =>
    gateway.log.error({ requestId, err }, 'quota not refunded'),
  );
};

/** Renders a problem through the form's table. */
const problemReply = (request: RequestContext, problem: Problem): Reply => {
  const { form, requestId } = request;
  const { status, code, retryAfter } = form.problems[problem.kind];
  // A 5xx has no quota headers, even if it was charged (contracts).
  const headers = Object.assign(
    responseHeaders(status < 500 ? request : { ...request, quota: undefined }),
    noStore,
  );
  if (status === 401) headers['WWW-Authenticate'] = 'Bearer';
  if (status === 405) headers['Allow'] = 'GET';
  if (form.helpLinks) headers['Link'] = helpLink(code);
  if (retryAfter && problem.retryAfter !== undefined)
    headers['Retry-After'] = String(problem.retryAfter);
  const body = renderValue(form.presentProblem(code, problem.message, requestId));
  return { status, headers, body };
};

/**
 * Creates the function that serves a request in the nine steps of docs/architecture.md. The form
 * depends on the key, and on `X-Envelope` if the key allows it (decisions, "Which form"). The first
 * step that fails decides the reply (decisions, "Order of checks").
 */
export const createPipeline = (
  gateway: Gateway,
  forms: readonly [Form, ...Form[]],
  readAuthorization?: ReadAuthorization,
) => {
  const { clock, log, meter, usage, settings, version } = gateway;
  const findRoute = createRouteFinder(forms);
  const slots = createSlots();
  const publicPath = settings.publicUrl === undefined ? '' : publicPathOf(settings.publicUrl);
  const parameterUses = createParameterUses(forms);
  const parseTarget = createTargetParser(parameterUses);
  const findResult = createResultCache(version);
  const render = createRenderer({
    maxBytes: settings.bodyCacheBytes,
    incompleteMs: settings.catalogueRefreshMs,
    clock,
  });
  const logProblem = createProblemLog(gateway);

  /** Steps 3 to 7. */
  const serveRequest = async (request: RequestContext): Promise<Reply> => {
    const { form, rejection, requestId, target, now } = request;
    if (rejection !== undefined) return rejectionReply(rejection, form, requestId);
    // 3: the route, the method, the key
    const { route, path } = findRoute(form, target.path);
    request.route = route;
    requireGet(request);
    const fault = demoFaultOf(request, gateway);
    if (fault !== undefined) await beginFault(fault, route);
    if (route.access === 'public') return endFault(fault, replyPublic(request, route, gateway));
    const caller = requireCaller(request);
    // 4: the load, the freshness of the data, the quota
    slots.take(request);
    const catalogue = requireFresh(gateway);
    await charge(request, caller, gateway);
    // 5: the scope, the parameters
    requireScope(caller, route.access);
    const { parsed, uses } = parseTarget(route, path, target);
    request.uses = uses;
    request.adjusted = parsed.adjusted;
    // 6, 7: the result, and its reply
    const found = await findResult(catalogue, { form, route, parsed, caller, now });
    return endFault(fault, await replyResult(request, caller, found, render));
  };

  return async (ctx: Context): Promise<void> => {
    ctx.respond = false; // `send` writes the reply, with one `writeHead`
    const startedAt = clock.elapsed();
    const request = openRequest(ctx, gateway, forms, readAuthorization); // steps 1 and 2
    let reply: Reply;
    try {
      reply = await serveRequest(request);
    } catch (thrown) {
      // 8: the log, the refund (decisions, "Quotas"), the problem
      const problem = Problem.from(thrown);
      const { status, code } = request.form.problems[problem.kind];
      request.code = code;
      logProblem(request, problem, status);
      if (status === 401 || (status >= 500 && !problem.causedByCaller))
        refundCharge(request, gateway);
      reply = problemReply(request, problem);
    } finally {
      slots.release(request);
    }
    putLinksBelow(publicPath, reply.headers);
    // step 9
    const sent = await send(ctx.res, reply);
    if (sent.failure)
      log.warn({ requestId: request.requestId, err: sent.failure }, 'response cut short');
    const outcome = outcomeOf(request, reply, sent, clock.elapsed() - startedAt);
    logRequest(outcome, log, meter);
    if (usage !== undefined) countUsage(request, outcome, parameterUses, usage);
  };
};
