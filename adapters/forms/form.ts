import type { Catalogue, Identity } from '../../src/catalogue/catalogue.ts';
import type { Viewer } from '../../src/catalogue/questions.ts';
import type { Allowance, Caller, FormName, KeyEnds, Scope } from '../../src/domain/caller.ts';
import type { FormFacts } from '../../src/domain/form-facts.ts';
import type { ProblemKind } from '../../src/domain/problem.ts';
import type { ParameterRepair } from '../../src/domain/usage.ts';
import type { Envelope } from './envelope.ts';
import type { FormContract, RouteContract } from './form-contract.ts';

/**
 * What a form is: a declaration of its paths, parameters, JSON, problems and quotas. It contains no
 * Koa, no store and no request object. What the core and the operator's commands must know of a
 * form is in `FormFacts`.
 */
export interface Form<Name extends FormName = FormName> extends FormFacts {
  readonly name: Name;
  readonly routes: readonly Route[];
  /** What partners get and read of every kind of problem. */
  readonly problems: Readonly<Record<ProblemKind, ProblemEntry>>;
  /** The body of an error response. */
  readonly presentProblem: (code: string, message: string, requestId: string) => object;
  /**
   * The quotas that a request of a key pinned to this form is charged to, shortest window first.
   */
  readonly allowances: (caller: Caller) => readonly QuotaPolicy[];
  /** True if successful reads carry an `ETag` and answer `If-None-Match`. */
  readonly conditional: boolean;
  /** True if counted responses report their quotas as `RateLimit-Policy` and `RateLimit` too. */
  readonly rateLimitFields: boolean;
  /** True if errors have a `Link` to their code in `/docs`. */
  readonly helpLinks: boolean;
  /** What to ask instead of a path that only another form has. */
  readonly counterparts?: ReadonlyMap<string, string>;
  /**
   * True if a query over the limit is refused with 431 before the form sees it. Otherwise
   * `QueryString.isTooLong` tells the form.
   */
  readonly refusesLongQueries: boolean;
  /** True if answers are compressed with gzip for clients that accept it. */
  readonly compressed: boolean;
  /**
   * Headers of this form's responses to an issued key, accepted or not, in addition to those of
   * every response.
   */
  readonly notices: (ends: KeyEnds, isAccepted: boolean) => Readonly<Record<string, string>>;
  /** The texts and schemas of its OpenAPI document. */
  readonly contract: FormContract;
}

/** How a form reports a kind of problem. */
export interface ProblemEntry {
  readonly status: number;
  readonly code: string;
  /** Its meaning for partners, in Markdown; absent for a problem that this form never answers. */
  readonly text?: string;
  /** True if its response says in `Retry-After` when asking again makes sense. */
  readonly retryAfter?: true;
}

/**
 * An allowance, the prefix of the headers that report its status, and the problem it raises when it
 * is spent.
 */
export interface QuotaPolicy extends Allowance {
  readonly header: 'X-RateLimit' | 'X-RateLimit-Day';
  readonly refusal: ProblemKind;
}

/** The query string of a request, decoded. */
export interface QueryString {
  /** Every value given for a name, in order; empty when there is none. */
  values(name: string): readonly string[];
  readonly names: readonly string[];
  /**
   * Names of the parameters with a percent escape, in name or any value, that is not UTF-8 text.
   */
  readonly malformed: ReadonlySet<string>;
  /** Those whose first value has one. */
  readonly malformedFirst: ReadonlySet<string>;
  /** True if the query is over the limit: then it is not read, and seems to be empty. */
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

/** A question as a form parsed it, and the parameters that the form repaired to parse it. */
interface ParsedQuestion<Question> {
  readonly question: Question;
  readonly adjusted: readonly ParameterRepair[];
}

/** Parameters of the path, by name. */
export type PathParameters = Readonly<Record<string, string>>;

/**
 * Parses parameters into a canonical question. Raises the problems that the form has for invalid
 * ones.
 */
export type ParseParameters<Question> = (
  query: QueryString,
  path: PathParameters,
) => ParsedQuestion<Question>;

interface RouteDeclaration<Question, Found extends { readonly identity: Identity }> {
  /** Template with `:name` parameters. */
  readonly path: string;
  /**
   * The scope that a key needs. It has no default, so a route that does not name one does not
   * compile.
   */
  readonly access: Scope;
  readonly params: ParseParameters<Question>;
  readonly ask: (
    catalogue: Catalogue,
    question: Question,
    viewer: Viewer,
  ) => Found | Promise<Found>;
  readonly present: (found: Found, meta: PartnerResponseMeta) => Envelope;
  readonly contract: RouteContract;
}

/** A parsed request, ready to be answered from a catalogue. */
export interface ParsedQuery {
  readonly adjusted: readonly ParameterRepair[];
  /** The question as text. Equal texts are equal questions. */
  readonly cacheKey: string;
  /** A promise for spikes, which are searched in steps. Raises the catalogue's problems. */
  answerFrom(catalogue: Catalogue, viewer: Viewer): Answer | Promise<Answer>;
}

/** The answer of a catalogue to a request. */
export interface Answer {
  readonly identity: Identity;
  readonly present: (meta: PartnerResponseMeta) => Envelope;
}

/** A route that needs a key. */
export interface KeyRoute {
  readonly path: string;
  readonly access: Scope;
  readonly contract: RouteContract;
  parse(query: QueryString, path: PathParameters): ParsedQuery;
}

/** A route that needs no key and spends no quota. */
export interface PublicRoute {
  readonly path: string;
  readonly access: 'public';
  readonly contract: RouteContract;
  readonly present: (meta: ResponseMeta) => Envelope;
}

export type Route = KeyRoute | PublicRoute;

/**
 * Declares a route. The types of its question and its answer must fit here and are not visible
 * anywhere else.
 */
export const route = <Question, Found extends { readonly identity: Identity }>(
  declaration: RouteDeclaration<Question, Found>,
): KeyRoute => {
  const toAnswer = (found: Found): Answer => ({
    identity: found.identity,
    present: (meta) => declaration.present(found, meta),
  });
  return {
    path: declaration.path,
    access: declaration.access,
    contract: declaration.contract,
    parse(query, path) {
      const { question, adjusted } = declaration.params(query, path);
      return {
        adjusted,
        cacheKey: JSON.stringify(question),
        answerFrom(catalogue, viewer) {
          const found = declaration.ask(catalogue, question, viewer);
          return found instanceof Promise ? found.then(toAnswer) : toAnswer(found);
        },
      };
    },
  };
};
