import type { Catalogue, Identity } from '../../src/catalogue/catalogue.ts';
import type { Viewer } from '../../src/catalogue/questions.ts';
import type { Allowance, Caller, FormName, Scope } from '../../src/domain/caller.ts';
import type { FormFacts } from '../../src/domain/form-facts.ts';
import type { ProblemKind } from '../../src/domain/problem.ts';
import type { BodyCache, DeferredItem, Pieces } from '../rendering/cached-json.ts';
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

/** A question as a form read it, and what the form repaired to read it: `name=value` with the value used. */
export interface ParsedQuestion<Question> {
  readonly question: Question;
  readonly adjusted: readonly string[];
}

/** Parameters of the path, by name. */
export type PathParameters = Readonly<Record<string, string>>;

/** Turns parameters into a canonical question. Raises the problems that the form has for bad ones. */
export type ParseParameters<Question> = (query: Query, path: PathParameters) => ParsedQuestion<Question>;

/** A response's members in order; some of them put together from kept text. */
export type Envelope = Readonly<Record<string, unknown>>;

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
  readonly adjusted: readonly string[];
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

/** Stands in an envelope where a list or an object of type `Wire` goes, to be put together from kept text. */
export class Splice<Wire> {
  declare readonly wire: Wire;
  readonly open: string;
  readonly close: string;
  readonly pieces: (memory: BodyCache) => Pieces;

  constructor(brackets: readonly [string, string], pieces: Splice<Wire>['pieces']) {
    [this.open, this.close] = brackets;
    this.pieces = pieces;
  }
}

/** What a presenter returns for an envelope of type `Wire`: its lists and objects may be spliced in. */
export type Spliced<Wire> = { readonly [Member in keyof Wire]: Wire[Member] | Splice<Wire[Member]> };

/** A list of items that are there. */
export const each = <Item extends object, Wire extends object>(
  items: readonly Item[],
  present: (item: Item) => Wire,
): Splice<Wire[]> => new Splice(['[', ']'], (memory) => memory.list(items, present));

/** One item, shown with what has to be read first. */
export const oneRead = <Item extends object, More, Wire extends object>(
  reading: DeferredItem<Item, More>,
  present: (item: Item, more: More) => Wire,
): Splice<Wire> => new Splice(['', ''], (memory) => memory.reading(reading, present));

/** A list of such items, read one by one while the response is sent. */
export const eachRead = <Item extends object, More, Wire extends object>(
  readings: readonly DeferredItem<Item, More>[],
  present: (item: Item, more: More) => Wire,
): Splice<Wire[]> =>
  new Splice(['[', ']'], async function* (memory) {
    for (const reading of readings) yield await memory.reading(reading, present);
  });
