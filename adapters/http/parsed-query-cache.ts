import type { KeyRoute, ParsedQuery, PathParameters, Query } from '../forms/form.ts';
import { scopedLru } from './request-cache.ts';
import { parseQuery, type Target } from './request-target.ts';

/** What a request's target asks of a route. */
export interface ParsedTarget {
  readonly query: Query;
  readonly asked: ParsedQuery;
}

/** Reads a target; `path` are the parameters of its path. Raises the problems that the form has for bad parameters. */
export type TargetReader = (route: KeyRoute, path: PathParameters, target: Target) => ParsedTarget;

/** So many targets of each route are remembered, the ones asked for last; longer ones are too rare to be worth it. */
const mostTargets = 200;
const longestTarget = 300;

/**
 * Reads targets. What one asks depends on nothing but its text, and a partner's program sends the same few again and again:
 * what could be read is remembered, and parameters are decoded and checked once.
 */
export const createParsedQueryCache = (): TargetReader => {
  const remembered = scopedLru<KeyRoute, ParsedTarget>(mostTargets);
  return (route, path, target) => {
    const read = (): ParsedTarget => {
      const query = parseQuery(target.query);
      return { query, asked: route.parse(query, path) };
    };
    return target.text.length > longestTarget ? read() : remembered(route, target.text, read);
  };
};
