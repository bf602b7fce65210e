import type { Catalogue, Identity } from '../../src/catalogue/catalogue.ts';
import type { Viewer } from '../../src/catalogue/questions.ts';
import type { Allowance, Caller, FormName, Scope } from '../../src/domain/caller.ts';
import type { FormFacts } from '../../src/domain/form-facts.ts';
import type { ProblemKind } from '../../src/domain/problem.ts';
import type { ParameterRepair } from '../../src/domain/usage.ts';
import type { Envelope } from './envelope.ts';
import type { FormContract, RouteContract } from './form-contract.ts';

/**
 * The socket that a form plugs into. A form is a declaration: which paths it has, how it reads parameters, how it says
 * an answer or a problem, which quotas it counts. No Koa, no store, no request object.
 */
export interface Form {
  readonly name: FormName;
  /** What key policy and the operator's commands must know of it. */
  readonly facts: FormFacts;
  readonly routes: readonly Route[];
  readonly problems: Readonly<Record<ProblemKind, ProblemEntry>>;
  readonly presentProblem: (code: string, message: string, requestId: string) => object;
  /** What a request of a key pinned to this form is counted against, shortest window first. */
  readonly allowances: (caller: Caller) => readonly QuotaPolicy[];
  /** Whether successful reads carry an `ETag` and answer `If-None-Match`. */
  readonly conditional: boolean;
  /** Whether answers are sent as gzip to clients that accept it. */
  readonly compressed: boolean;
  /** Headers of this form's responses to one caller, beside those every response has. */
  readonly notices: (caller: Caller) => Readonly<Record<string, string>>;
  /** What partners are told of this form. */
  readonly contract: FormContract;
}

/** How a form says a kind of problem. */
export interface ProblemEntry {
  readonly status: number;
  readonly code: string;
}

/** An allowance, the prefix of the headers that tell how it stands, and the problem it raises when it is spent. */
export interface QuotaPolicy extends Allowance {
  readonly header: 'X-RateLimit' | 'X-RateLimit-Day';
  readonly refusal: ProblemKind;
}

/** The query string of a request, decoded. */
export interface Query {
  /** Every value given for a name, in order; empty when there is none. */
  values(name: string): readonly string[];
  readonly names: readonly string[];
  /** Names of the parameters with a percent escape, in name or value, that is not UTF-8 text. */
  readonly malformed: ReadonlySet<string>;
}

/** Facts about a response that its envelope may tell. */
export interface ResponseMeta {
  readonly requestId: string;
  /** ISO 8601, UTC with milliseconds. */
  readonly generatedAt: string;
}

/** The same, for a response to a known partner. */
export interface PartnerResponseMeta extends ResponseMeta {
  readonly partner: string;
}

/** A question as a form parsed it, and the parameters that the form repaired to parse it. */
export interface ParsedQuestion<Question> {
  readonly question: Question;
  readonly adjusted: readonly ParameterRepair[];
}

/** Parameters of the path, by name. */
export type PathParameters = Readonly<Record<string, string>>;

/** Turns parameters into a canonical question. Raises the problems that the form has for bad ones. */
export type ParseParameters<Question> = (query: Query, path: PathParameters) => ParsedQuestion<Question>;

export interface RouteDeclaration<Question, Answer extends { readonly identity: Identity }> {
  /** Template with `:name` parameters. */
  readonly path: string;
  /** The scope a key needs. There is no default: who may read a route is always written down. */
  readonly access: Scope;
  readonly params: ParseParameters<Question>;
  readonly ask: (catalogue: Catalogue, question: Question, asker: Viewer) => Answer;
  readonly present: (answer: Answer, frame: PartnerResponseMeta) => Envelope;
  readonly contract: RouteContract;
}

/** What one request of a route wants to know, ready to be asked. */
export interface ParsedQuery {
  readonly adjusted: readonly ParameterRepair[];
  /** The question as text: equal texts ask the same. */
  readonly question: string;
  /** Asks it. Raises the catalogue's problems. */
  query(catalogue: Catalogue, asker: Viewer): QueryResult;
}

export interface QueryResult {
  readonly identity: Identity;
  present(frame: PartnerResponseMeta): Envelope;
}

/** A route that needs a key. */
export interface KeyRoute {
  readonly path: string;
  readonly access: Scope;
  readonly contract: RouteContract;
  parse(query: Query, path: PathParameters): ParsedQuery;
}

/** A route that anybody may read and that spends nothing. */
export interface PublicRoute {
  readonly path: string;
  readonly access: 'public';
  readonly contract: RouteContract;
  readonly present: (frame: ResponseMeta) => Envelope;
}

export type Route = KeyRoute | PublicRoute;

/** Declares a route: the types of question and answer have to fit each other here and matter nowhere else. */
export const route = <Question, Answer extends { readonly identity: Identity }>(
  declaration: RouteDeclaration<Question, Answer>,
): KeyRoute => ({
  path: declaration.path,
  access: declaration.access,
  contract: declaration.contract,
  parse(query, path) {
    const { question, adjusted } = declaration.params(query, path);
    return {
      adjusted,
      question: JSON.stringify(question),
      query(catalogue, asker) {
        const answer = declaration.ask(catalogue, question, asker);
        return { identity: answer.identity, present: (frame) => declaration.present(answer, frame) };
      },
    };
  },
});
