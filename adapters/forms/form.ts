import type { Catalogue, Identity } from '../../src/catalogue/catalogue.ts';
import type { Viewer } from '../../src/catalogue/queries.ts';
import type { Allowance, Caller, FormName, KeyEnds, Scope } from '../../src/domain/caller.ts';
import type { FormFacts } from '../../src/domain/form-facts.ts';
import type { ProblemKind } from '../../src/domain/problem.ts';
import type { AdjustedParameter } from '../../src/domain/usage.ts';
import type { Envelope } from './envelope.ts';
import type { FormContract, RouteContract } from './form-contract.ts';

/**
 * Declares a form: its paths, parameters, JSON, problems and quotas. Contains no Koa, no store and
 * no request object. `FormFacts` has the facts that the core and the operator's commands need.
 */
export interface Form<Name extends FormName = FormName> extends FormFacts {
  readonly name: Name;
  readonly routes: readonly Route[];
  /** Status, code and text of every kind of problem. */
  readonly problems: Readonly<Record<ProblemKind, ProblemEntry>>;
  /** The body of an error response. */
  readonly presentProblem: (code: string, message: string, requestId: string) => object;
  /** The quotas charged for a request with a key of this form, shortest window first. */
  readonly allowances: (caller: Caller) => readonly QuotaPolicy[];
  /** True if successful reads have an `ETag` and support `If-None-Match`. */
  readonly conditional: boolean;
  /** True if counted responses also report their quotas as `RateLimit-Policy` and `RateLimit`. */
  readonly rateLimitFields: boolean;
  /** True if errors have a `Link` to their code in `/docs`. */
  readonly helpLinks: boolean;
  /** Paths to use instead of paths that only another form has. */
  readonly counterparts?: ReadonlyMap<string, string>;
  /**
   * True if a query over the limit gets 431 before the form sees it. Otherwise the form reads
   * `QueryString.isTooLong`.
   */
  readonly refusesLongQueries: boolean;
  /** True if responses are compressed with gzip for clients that accept it. */
  readonly compressed: boolean;
  /**
   * Headers of this form's responses to a known key, even if the key is rejected, in addition to
   * the common headers.
   */
  readonly notices: (ends: KeyEnds, isAccepted: boolean) => Readonly<Record<string, string>>;
  /** The texts and schemas of its OpenAPI document. */
  readonly contract: FormContract;
}

/** How a form reports a kind of problem. */
export interface ProblemEntry {
  readonly status: number;
  readonly code: string;
  /** Its meaning for partners, in Markdown; absent for a problem that this form never returns. */
  readonly text?: string;
  /** True if its response has a `Retry-After`. */
  readonly retryAfter?: true;
}

/** An allowance, the prefix of its status headers, and the problem to raise when it is used up. */
export interface QuotaPolicy extends Allowance {
  readonly header: 'X-RateLimit' | 'X-RateLimit-Day';
  readonly refusal: ProblemKind;
}

/** The query string of a request, decoded. */
export interface QueryString {
  /** Every value given for a name, in order; empty when there is none. */
  values(name: string): readonly string[];
  readonly names: readonly string[];
  /** Names whose first occurrence has a percent escape, in name or value, that is not UTF-8. */
  readonly malformed: ReadonlySet<string>;
  /** True if the query is over the limit. Then it is not parsed and seems empty. */
  readonly isTooLong: boolean;
}

/** Facts about a response for its envelope. */
export interface ResponseMeta {
  readonly requestId: string;
  /** ISO 8601, UTC with milliseconds. */
  readonly generatedAt: string;
}

/** The facts about a response to a known partner. */
export interface PartnerResponseMeta extends ResponseMeta {
  readonly partner: string;
}

/** A query as a form parsed it, and the parameters that the form adjusted to parse it. */
interface ParsedParameters<Query> {
  readonly query: Query;
  readonly adjusted: readonly AdjustedParameter[];
}

export type PathParameters = Readonly<Record<string, string>>;

/** Parses parameters into a canonical query. Raises the form's problems for invalid parameters. */
export type ParseParameters<Query> = (
  query: QueryString,
  path: PathParameters,
) => ParsedParameters<Query>;

interface RouteDeclaration<Query, Found extends { readonly identity: Identity }> {
  /** Template with `:name` parameters. */
  readonly path: string;
  /** The scope that a key needs. Required, so that a route without a scope does not compile. */
  readonly access: Scope;
  readonly params: ParseParameters<Query>;
  readonly run: (catalogue: Catalogue, query: Query, viewer: Viewer) => Found | Promise<Found>;
  readonly present: (found: Found, meta: PartnerResponseMeta) => Envelope;
  readonly contract: RouteContract;
}

/** A parsed request, ready to run on a catalogue. */
export interface ParsedQuery {
  readonly adjusted: readonly AdjustedParameter[];
  /** The query as text. Equal texts mean equal queries. */
  readonly cacheKey: string;
  /** Returns a promise for spikes, which are searched in steps. Raises the catalogue's problems. */
  runOn(catalogue: Catalogue, viewer: Viewer): RouteResult | Promise<RouteResult>;
}

/** The result of a request. */
export interface RouteResult {
  readonly identity: Identity;
  readonly present: (meta: PartnerResponseMeta) => Envelope;
}

export interface KeyRoute {
  readonly path: string;
  readonly access: Scope;
  readonly contract: RouteContract;
  parse(query: QueryString, path: PathParameters): ParsedQuery;
}

/** A route that needs no key and uses no quota. */
export interface PublicRoute {
  readonly path: string;
  readonly access: 'public';
  readonly contract: RouteContract;
  readonly present: (meta: ResponseMeta) => Envelope;
}

export type Route = KeyRoute | PublicRoute;

/** Declares a route. Checks that its query and result types match; they are not visible elsewhere. */
export const route = <Query, Found extends { readonly identity: Identity }>(
  declaration: RouteDeclaration<Query, Found>,
): KeyRoute => {
  const toResult = (found: Found): RouteResult => ({
    identity: found.identity,
    present: (meta) => declaration.present(found, meta),
  });
  return {
    path: declaration.path,
    access: declaration.access,
    contract: declaration.contract,
    parse(query, path) {
      const { query: parsed, adjusted } = declaration.params(query, path);
      return {
        adjusted,
        cacheKey: JSON.stringify(parsed),
        runOn(catalogue, viewer) {
          const found = declaration.run(catalogue, parsed, viewer);
          return found instanceof Promise ? found.then(toResult) : toResult(found);
        },
      };
    },
  };
};
