import type { Asked, PathParameters, Query, ReadRoute } from './form.ts';
import { parseQuery, type Target } from './query.ts';
import { createRemembered } from './remembered.ts';

/** What a request's target asks of a route. */
export interface ReadTarget {
  readonly query: Query;
  readonly asked: Asked;
}

/** Reads a target; `path` are the parameters of its path. Raises the problems that the form has for bad parameters. */
export type TargetReader = (route: ReadRoute, path: PathParameters, target: Target) => ReadTarget;

/** So many targets of each route are remembered, the ones asked for last; longer ones are too rare to be worth it. */
const mostTargets = 200;
const longestTarget = 300;

/**
 * Reads targets. What one asks depends on nothing but its text, and a partner's program sends the same few again and again:
 * what could be read is remembered, and parameters are decoded and checked once.
 */
export const createTargetReader = (): TargetReader => {
  const remembered = createRemembered<ReadRoute, ReadTarget>(mostTargets);
  return (route, path, target) => {
    const read = (): ReadTarget => {
      const query = parseQuery(target.query);
      return { query, asked: route.read(query, path) };
    };
    return target.text.length > longestTarget ? read() : remembered(route, target.text, read);
  };
};
