import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { Problem } from '../../src/domain/problem.ts';
import { scopedLru } from '../../src/runtime/memo.ts';
import type { Form, KeyRoute, ParsedQuery, PathParameters, QueryResult } from '../forms/form.ts';
import type { ParameterUses } from '../forms/parameter-usage.ts';
import { isReadable, readQuery, type Target } from './request-target.ts';

/** A target that a route has parsed, and the uses of its parameters. */
interface ParsedTarget {
  readonly asked: ParsedQuery;
  readonly uses: readonly string[];
}

/**
 * Targets cached for each form, as many as answers, and their maximum length in characters: longer
 * ones are rare.
 */
const maxTargets = 2_000;
const maxTargetLength = 300;

/**
 * Parses targets. A client sends the same few again and again, so each is decoded and checked once;
 * errors are not cached: the problems that the form has for bad parameters, and `not-found` for a
 * path that no record can have.
 */
export const createParsedQueryCache = (usesOf: ParameterUses) => {
  // Without it every request parses its target.
  // Bound: 2,000 for each form; key: form, target of at most 300 characters; lifetime: process,
  // until dropped (LRU).
  const parsed = scopedLru<Form, ParsedTarget>(maxTargets);
  return (form: Form, route: KeyRoute, path: PathParameters, target: Target): ParsedTarget => {
    const parse = (): ParsedTarget => {
      // The router takes a broken escape literally. No record has such a name: 404, as for any
      // unknown record.
      if (!isReadable(target.path))
        throw new Problem('not-found', 'There is nothing at this path.');
      const query = readQuery(target);
      const asked = route.parse(query, path);
      return { asked, uses: usesOf(route, query, asked.adjusted) };
    };
    return target.text.length > maxTargetLength ? parse() : parsed(form, parse, target.text);
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
 * Caches answers of the newest catalogue. The key holds everything an answer depends on (form,
 * route, question, day, visibility); an answer that raises a problem is not cached. Returns a
 * promise while the catalogue searches.
 */
export const createAnswerCache = () => {
  // Without it every request, also for a 304, filters the shortlist and makes its tag.
  // Bound: 2,000; key: catalogue, form, route, day, visibility, question; lifetime: the catalogue,
  // until dropped (LRU).
  const answers = scopedLru<Catalogue, CachedAnswer | Promise<CachedAnswer>>(maxAnswers);
  return (catalogue: Catalogue, key: string, ask: () => QueryResult | Promise<QueryResult>) => {
    const toCached = (answered: QueryResult): CachedAnswer => ({ answered });
    const make = () => {
      const answered = ask();
      return answered instanceof Promise ? answered.then(toCached) : toCached(answered);
    };
    return answers(catalogue, make, key);
  };
};
