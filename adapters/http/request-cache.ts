import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { Problem } from '../../src/domain/problem.ts';
import { type Keeps, scopedLru } from '../../src/runtime/memo.ts';
import type { KeyRoute, ParsedQuery, PathParameters, Query, QueryResult } from '../forms/form.ts';
import { isReadable, readQuery, type Target } from './request-target.ts';

/** A target that a route has parsed. */
interface ParsedTarget {
  readonly query: Query;
  readonly asked: ParsedQuery;
}

/** Targets cached for each route, and their maximum length in characters: longer ones are rare. */
const maxTargets = 200;
const maxTargetLength = 300;

/**
 * Parses targets. A client sends the same few again and again, so each is decoded and checked once; errors are not cached: the
 * problems that the form has for bad parameters, and `not-found` for a path that no record can have.
 */
export const createParsedQueryCache = (keeps: Keeps) => {
  // Without it a page of 50 takes 1.1 times the processor time (parsing takes 3 µs).
  // Bound: 200 for each route; key: route, target of at most 300 characters; lifetime: process, until dropped (LRU).
  const parsed = scopedLru<KeyRoute, ParsedTarget>(maxTargets, keeps('parsed-targets'));
  return (route: KeyRoute, path: PathParameters, target: Target): ParsedTarget => {
    const parse = (): ParsedTarget => {
      // The router takes a broken escape literally. No record has such a name: 404, as for any unknown record.
      if (!isReadable(target.path)) throw new Problem('not-found', 'There is nothing at this path.');
      const query = readQuery(target);
      return { query, asked: route.parse(query, path) };
    };
    return target.text.length > maxTargetLength ? parse() : parsed(route, parse, target.text);
  };
};

/** An answer of the catalogue. */
interface CachedAnswer {
  readonly answered: QueryResult;
  /** Its entity tag, computed on first use. */
  tag?: string;
}

/** Answers cached for each catalogue. */
const maxAnswers = 2_000;

/**
 * Caches answers of the newest catalogue. The key holds everything an answer depends on (form, route, question, day,
 * visibility); an answer that raises a problem is not cached. Returns a promise while the catalogue searches.
 */
export const createAnswerCache = (keeps: Keeps) => {
  // Without it a page of 50 and a 304 take 1.6 times the processor time.
  // Bound: 2,000; key: catalogue, form, route, day, visibility, question; lifetime: the catalogue, until dropped (LRU).
  const answers = scopedLru<Catalogue, CachedAnswer | Promise<CachedAnswer>>(maxAnswers, keeps('answers'));
  return (catalogue: Catalogue, key: string, ask: () => QueryResult | Promise<QueryResult>) => {
    const toCached = (answered: QueryResult): CachedAnswer => ({ answered });
    const make = () => {
      const answered = ask();
      return answered instanceof Promise ? answered.then(toCached) : toCached(answered);
    };
    return answers(catalogue, make, key);
  };
};
