import { randomUUID } from 'node:crypto';
import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { Problem } from '../../src/domain/problem.ts';
import { authenticate, type KeyDirectory } from '../../src/keys/authenticate.ts';
import type { Clock, Log, Meter, QuotaStore } from '../../src/ports.ts';
import { consume, refund } from '../../src/quota/quota.ts';
import type { Follower } from '../../src/runtime/follower.ts';
import type { UsageMeter } from '../../src/usage/counter.ts';
import type { Form, PathParameters, PublicRoute, Route } from '../forms/form.ts';
import { createParameterUses } from '../forms/parameter-usage.ts';
import { renderValue } from '../rendering/render-envelope.ts';
import { createConcurrencyLimit } from './concurrency-limit.ts';
import { rejectionReply } from './rejection.ts';
import { createParsedQueryCache } from './request-cache.ts';
import { checkRequest } from './request-checks.ts';
import {
  authorizationOf,
  noStore,
  quotaFailure,
  quotaProblem,
  type RequestContext,
  responseHeaders,
  toIso,
} from './request-context.ts';
import { countUsage, logRequest, outcomeOf } from './request-log.ts';
import { isReadable, splitTarget } from './request-target.ts';
import { createRespond } from './respond.ts';
import { type Reply, send } from './send.ts';

/** What the pipeline needs of the world. */
export interface Gateway {
  readonly clock: Clock;
  readonly log: Log;
  /** Measures what happens, if somebody wants to know. */
  readonly meter?: Meter;
  /** Counts what partners use, if it is kept anywhere. */
  readonly usage?: UsageMeter | undefined;
  readonly keys: Follower<KeyDirectory>;
  readonly catalogue: Follower<Catalogue>;
  readonly quotas: QuotaStore;
  /** The longest a request waits for the quota store. */
  readonly storeTimeoutMs: number;
  /** Bytes that cached response bodies may hold together. */
  readonly bodyCacheBytes: number;
  /** Version of the software: a new one may render the same data otherwise, so it is part of every `ETag`. */
  readonly version: string;
}

/** A route, and the parameters of its path; `undefined` when no name can be read from them. */
type Match = { readonly route: Route; readonly path: PathParameters | undefined } | undefined;

/** Finds a form's route for a path; case and a trailing slash count. The router would take a broken escape literally. */
const createMatcher = (routes: readonly Route[]): ((path: string) => Match) => {
  const router = new Router({ sensitive: true, strict: true });
  const byTemplate = new Map(routes.map((route) => [route.path, route]));
  for (const template of byTemplate.keys()) router.get(template, () => {});
  const matchByRouter = (path: string): Match => {
    const [layer] = router.match(path, 'GET').path;
    const route = layer && byTemplate.get(String(layer.path));
    return route && { route, path: isReadable(path) ? layer.params(path, layer.captures(path)) : undefined };
  };
  // A template without parameters is the one path it stands for: most requests need no router.
  const literal = new Map(routes.filter(({ path }) => !path.includes(':')).map((route) => [route.path, route]));
  return (path) => {
    const route = literal.get(path);
    return route === undefined ? matchByRouter(path) : { route, path: {} };
  };
};

/**
 * The request pipeline: the same few steps for every form, read from `handle` downwards. The forms are declarations; which
 * one is served depends on the key alone, and on `X-Envelope` for keys that may look through another.
 */
export const createPipeline = (gateway: Gateway, forms: readonly [Form, ...Form[]]): Middleware => {
  const { clock, log, meter, usage } = gateway;
  const readUses = createParameterUses(forms);
  const read = createRespond(gateway);
  const readTarget = createParsedQueryCache();
  const capacity = createConcurrencyLimit();
  const matchers = new Map(forms.map((form) => [form, createMatcher(form.routes)]));
  const formNamed = (name: unknown): Form | undefined => forms.find((form) => form.name === name);

  /** The clock is read once, the caller resolved, and with it the form: the key's own, or the one it may choose. */
  const open = (ctx: Context): RequestContext => {
    const request = ctx.req;
    const now = clock.now();
    const target = splitTarget(request.url ?? '');
    const refused = checkRequest(request, target);
    const access = authenticate(authorizationOf(request), gateway.keys.value(), gateway.keys.isFresh(), now);
    const pinned = formNamed(access.form) ?? forms[0];
    const mayChoose = 'caller' in access && access.caller.key.allowEnvelopeOverride;
    const chosen = mayChoose ? formNamed(request.headers['x-envelope']) : undefined;
    return {
      requestId: randomUUID(),
      now,
      method: request.method ?? '',
      target,
      ifNoneMatch: request.headers['if-none-match'],
      acceptsGzip: () =>
        request.headers['accept-encoding'] !== undefined && ctx.acceptsEncodings(['gzip', 'identity']) === 'gzip',
      access,
      pinned,
      form: refused ? forms[0] : (chosen ?? pinned),
      refused,
      holdsPlace: false,
      shed: false,
    };
  };

  /** Path, method, key, room, freshness of the data, quota, scope: in this order, the first that fails is the answer. */
  const answer = async (exchange: RequestContext): Promise<Reply> => {
    const { form, target, method, access, refused } = exchange;
    if (refused !== undefined) return rejectionReply(refused, form, exchange.requestId);
    const match = matchers.get(form)?.(target.path);
    if (match === undefined) throw new Problem('not-found', 'There is nothing at this path.');
    const { route } = match;
    exchange.route = route;
    if (method !== 'GET') throw new Problem('method-not-allowed', 'Only GET is supported.');
    if (route.access === 'public') return presentPublic(exchange, route);
    if ('problem' in access) throw access.problem;
    takePlace(exchange);
    const catalogue = gateway.catalogue.isFresh() ? gateway.catalogue.value() : undefined;
    if (catalogue === undefined) throw new Problem('unavailable', 'Artist data is temporarily unavailable.');
    const allowances = exchange.pinned.allowances(access.caller);
    exchange.receipt = await consume(gateway.quotas, allowances, clock.elapsed() + gateway.storeTimeoutMs);
    const { refusal, failure } = exchange.receipt;
    if (failure !== undefined) throw quotaFailure(failure);
    if (refusal !== undefined) throw quotaProblem(refusal);
    if (!access.caller.scopes.has(route.access)) {
      throw new Problem('insufficient-scope', `This key lacks the scope ${route.access}.`);
    }
    if (match.path === undefined) throw new Problem('not-found', 'There is nothing at this path.');
    const { query, asked } = readTarget(route, match.path, target);
    exchange.query = query;
    exchange.adjusted = asked.adjusted;
    return read(exchange, access.caller, catalogue, asked);
  };

  /** Sheds load: what would only wait is turned away while it has cost nothing. */
  const takePlace = (exchange: RequestContext): void => {
    exchange.holdsPlace = capacity.acquire();
    exchange.shed = !exchange.holdsPlace;
    if (exchange.shed) throw new Problem('unavailable', 'Too many requests are in work.', { retryAfter: 1 });
  };

  const presentPublic = (exchange: RequestContext, route: PublicRoute): Reply => ({
    status: 200,
    headers: Object.assign(responseHeaders(exchange), noStore),
    body: renderValue(route.present({ requestId: exchange.requestId, generatedAt: toIso(exchange.now) })),
  });

  /** Says a problem as the form's table does. What is not the caller's doing costs nothing: its unit is given back. */
  const refuse = (exchange: RequestContext, problem: Problem): Reply => {
    const { form, requestId, receipt } = exchange;
    const { status, code } = form.problems[problem.kind];
    if (status >= 500 && problem.cause !== undefined) log.error({ requestId, err: problem }, 'request failed');
    if (receipt && !receipt.refusal && (status >= 500 || status === 401)) {
      delete exchange.receipt;
      refund(gateway.quotas, receipt.charges, clock.elapsed() + gateway.storeTimeoutMs).catch((err: unknown) =>
        log.error({ requestId, err }, 'quota not given back'),
      );
    }
    const headers = Object.assign(responseHeaders(exchange), noStore);
    if (status === 401) Object.assign(headers, { 'WWW-Authenticate': 'Bearer' });
    if (status === 405) Object.assign(headers, { Allow: 'GET' });
    if (problem.retryAfter !== undefined) Object.assign(headers, { 'Retry-After': String(problem.retryAfter) });
    return { status, headers, body: renderValue(form.presentProblem(code, problem.message, requestId)) };
  };

  return async (ctx) => {
    ctx.respond = false; // replies are sent below, with one writeHead instead of a call per header
    const startedAt = clock.elapsed();
    const exchange = open(ctx);
    const reply = await answer(exchange).catch((thrown: unknown) => refuse(exchange, Problem.from(thrown)));
    const sent = await send(ctx.res, reply);
    if (exchange.holdsPlace) capacity.release();
    if (sent.failure) log.warn({ requestId: exchange.requestId, err: sent.failure }, 'response cut short');
    const outcome = outcomeOf(exchange, reply, sent, clock.elapsed() - startedAt);
    logRequest(outcome, log, meter);
    if (usage !== undefined) countUsage(exchange, outcome, readUses, usage);
  };
};
