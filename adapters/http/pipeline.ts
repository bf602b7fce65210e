import { dataUnavailable, Problem } from '../../src/domain/problem.ts';
import { countOf } from '../../src/domain/quantities.ts';
import type { Gateway } from '../../src/gateway.ts';
import { type Charge, consume, type QuotaResult, refund } from '../../src/quota/quota.ts';
import { createThrottle } from '../../src/runtime/cooperative.ts';
import type { Form, PathParameters, PublicRoute, QuotaPolicy, Route } from '../forms/form.ts';
import { createParameterUses } from '../forms/parameter-usage.ts';
import { helpLink } from '../openapi/headers.ts';
import { renderValue } from '../rendering/render-envelope.ts';
import { provokeFault } from './demo-faults.ts';
import { createFormRouter, type ServedContext } from './form-router.ts';
import { createRefunds } from './refunds.ts';
import { rejectionReply } from './rejection.ts';
import { createParsedQueryCache } from './request-cache.ts';
import { openRequest, type RequestContext } from './request-context.ts';
import { countUsage, logRequest, outcomeOf } from './request-log.ts';
import { createRespond } from './respond.ts';
import { noStore, responseHeaders, secondsLeft, toIso } from './response-headers.ts';
import { isLarge, type Reply, send } from './send.ts';

/** The problem of a window without room; asking again makes sense when the window ends. */
const quotaSpent = ({ allowance, status }: Charge<QuotaPolicy>): Problem => {
  const { limit, window, refusal } = allowance;
  const retryAfter = secondsLeft(status);
  const spent = `The quota of ${countOf(limit, 'request')} per ${window} is spent`;
  return new Problem(refusal, `${spent}: retry in ${countOf(retryAfter, 'second')}.`, {
    retryAfter,
  });
};

/** Authenticated requests in flight per gateway; above that they would queue for the processor. */
const maxInFlight = 256;

/** Large replies that are begun in one turn of the event loop. */
const maxLargePerTurn = 8;

/**
 * Chunks of streamed replies that are made in one turn, for all clients together: a history of 0.5
 * MB is inflated in 1 ms.
 */
const maxChunksPerTurn = 4;

/**
 * The request pipeline, the same for every form: `handle` opens a request, answers it, sends the
 * reply and logs it; the steps that it takes follow below in their order. Forms are declarations;
 * which one is served depends on the key, and on `X-Envelope` for keys that may override it
 * (decisions, "Which form").
 */
export const createPipeline = (
  gateway: Gateway,
  forms: readonly [Form, ...Form[]],
): ((ctx: ServedContext) => Promise<void>) => {
  const { clock, log, meter, usage } = gateway;
  const parameterUses = createParameterUses(forms);
  const parseTarget = createParsedQueryCache(parameterUses);
  const respond = createRespond(gateway);
  const divideCharges = createRefunds();
  let inFlight = 0;
  const throttleLarge = createThrottle(maxLargePerTurn);
  const throttleChunks = createThrottle(maxChunksPerTurn);
  const storeDeadline = (): number => clock.elapsed() + gateway.settings.storeTimeoutMs;

  const handle = async (ctx: ServedContext): Promise<void> => {
    // `send` writes the reply, with one `writeHead` instead of a call for each header
    ctx.respond = false;
    const startedAt = clock.elapsed();
    const request = openRequest(ctx, gateway, forms);
    ctx.state.request = request;
    let reply: Reply;
    try {
      reply = await answer(ctx);
    } finally {
      // before it is sent: a client that is slow to read keeps nobody from the processor
      if (request.holdsSlot) inFlight -= 1;
    }
    if (isLarge(reply)) await throttleLarge();
    const sent = await send(ctx.res, reply, clock, throttleChunks);
    if (sent.failure)
      log.warn({ requestId: request.requestId, err: sent.failure }, 'response cut short');
    const outcome = outcomeOf(request, reply, sent, clock.elapsed() - startedAt);
    logRequest(outcome, log, meter);
    if (usage !== undefined) countUsage(request, outcome, parameterUses, usage);
  };

  /** Lets the router of the served form answer. A request that no form may see is rejected. */
  const answer = async (ctx: ServedContext): Promise<Reply> => {
    const { request } = ctx.state;
    const { rejection, form, requestId } = request;
    if (rejection !== undefined) return rejectionReply(rejection, form, requestId);
    try {
      const router = routers.get(form);
      if (router === undefined) throw new Error(`The form ${form.name} has no router.`);
      return await router(ctx);
    } catch (thrown) {
      return presentProblem(request, Problem.from(thrown));
    }
  };

  /** Serves a route, unless the key is a demo key of the sandbox that shows a fault. */
  const serve = (request: RequestContext, route: Route, path: PathParameters): Promise<Reply> => {
    request.route = route;
    const { authentication } = request;
    const fault =
      'caller' in authentication
        ? gateway.demoFaults?.get(authentication.caller.key.id)
        : undefined;
    if (fault === undefined) return serveRoute(request, route, path);
    return provokeFault(fault, route.access !== 'public', () => serveRoute(request, route, path));
  };

  /**
   * Method, key, slot, freshness of the data, quota, scope, parameters: the first that fails
   * decides the answer.
   */
  const serveRoute = async (
    request: RequestContext,
    route: Route,
    path: PathParameters,
  ): Promise<Reply> => {
    const { authentication, target } = request;
    if (request.method !== 'GET') throw new Problem('method-not-allowed', 'Only GET is supported.');
    if (route.access === 'public') return presentPublic(request, route);
    if ('problem' in authentication) throw authentication.problem;
    const { caller } = authentication;
    acquireSlot(request);
    const catalogue = gateway.catalogue.isFresh() ? gateway.catalogue.value() : undefined;
    if (catalogue === undefined) throw dataUnavailable();
    noteCharge(
      request,
      await consume(gateway.quotas, request.pinnedForm.allowances(caller), storeDeadline()),
    );
    if (!caller.scopes.has(route.access)) {
      throw new Problem('insufficient-scope', `This key lacks the scope ${route.access}.`);
    }
    const { asked, uses } = parseTarget(request.form, route, path, target);
    request.uses = uses;
    request.adjusted = asked.adjusted;
    // without `await` it takes three microtasks more
    return await respond(request, caller, catalogue, asked);
  };

  const presentPublic = (request: RequestContext, route: PublicRoute): Reply => ({
    status: 200,
    headers: Object.assign(responseHeaders(request), noStore),
    body: renderValue(
      route.present({ requestId: request.requestId, generatedAt: toIso(request.now) }),
    ),
  });

  /** Sheds load: a request that would only wait is refused before it costs anything. */
  const acquireSlot = (request: RequestContext): void => {
    request.holdsSlot = inFlight < maxInFlight;
    request.shed = !request.holdsSlot;
    if (request.shed)
      throw new Problem('unavailable', 'The server is busy: retry in 1 second.', { retryAfter: 1 });
    inFlight += 1;
  };

  /**
   * Notes what the request was charged to the quotas of the form that its key is pinned to. Raises
   * why it is refused.
   */
  const noteCharge = (request: RequestContext, charged: QuotaResult<QuotaPolicy>): void => {
    request.quota = charged;
    const { refusal, failure } = charged;
    if (failure !== undefined) {
      throw new Problem('unavailable', 'Usage controls are temporarily unavailable.', {
        cause: failure,
      });
    }
    if (refusal !== undefined) throw quotaSpent(refusal);
  };

  /**
   * Renders a problem through the form's table, and refunds what was charged for a failure
   * (decisions, "Quotas").
   */
  const presentProblem = (request: RequestContext, problem: Problem): Reply => {
    const { form, requestId, quota } = request;
    const { status, code } = form.problems[problem.kind];
    if (status >= 500 && problem.cause !== undefined)
      log.error({ requestId, err: problem }, 'request failed');
    if (quota !== undefined && quota.refusal === undefined) {
      const { refunded, kept } = divideCharges(quota.charges, status, problem);
      request.quota = kept.length === 0 ? undefined : { charges: kept };
      refund(gateway.quotas, refunded, storeDeadline()).catch((err: unknown) =>
        log.error({ requestId, err }, 'quota not refunded'),
      );
    }
    // A 5xx tells no quota, whether or not it was charged (contracts).
    const headers = Object.assign(
      responseHeaders(status < 500 ? request : { ...request, quota: undefined }),
      noStore,
    );
    if (status === 401) Object.assign(headers, { 'WWW-Authenticate': 'Bearer' });
    if (status === 405) Object.assign(headers, { Allow: 'GET' });
    if (form.helpLinks) Object.assign(headers, { Link: helpLink(form.name, code) });
    if (problem.retryAfter !== undefined)
      Object.assign(headers, { 'Retry-After': String(problem.retryAfter) });
    return {
      status,
      headers,
      body: renderValue(form.presentProblem(code, problem.message, requestId)),
    };
  };

  const routers = new Map(forms.map((form) => [form, createFormRouter(form, forms, serve)]));
  return handle;
};
