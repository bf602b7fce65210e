import type { Day } from '../../src/domain/day.ts';
import { openApiPath } from '../../src/domain/path-template.ts';
import { sum } from '../../src/domain/quantities.ts';
import type { UsageCount } from '../../src/domain/usage.ts';
import type { ComparedForm } from './mapping/forms.ts';

/** The form that a key leaves, and the one it moves to. */
export interface Move {
  readonly from: ComparedForm;
  readonly to: ComparedForm;
}

/** The move that partners are asked to make. */
export const requestedMove: Move = { from: 'variant', to: 'current' };

/** How often something occurs in usage, and the last day it does; by default every request. */
export const sumOccurrences = (
  counts: readonly UsageCount[],
  occurrencesIn: (count: UsageCount) => number = ({ requests }) => requests,
) => {
  let requests = 0;
  let last: Day | undefined;
  for (const count of counts) {
    const occurrences = occurrencesIn(count);
    requests += occurrences;
    if (occurrences > 0 && (last === undefined || count.day > last)) last = count.day;
  }
  return { requests, last_day: last };
};

/**
 * The template of a route as the mapping writes paths: `/artists/{id}`; `undefined` for requests
 * that match no route.
 */
export const pathOf = ({ route }: UsageCount): string | undefined =>
  route && openApiPath(route.replace('/api/v1', ''));

/** In how many requests a parameter was used in a way that matches, like `limit>100`. */
export const countOccurrences = ({ uses }: UsageCount, pattern: RegExp): number =>
  sum(Object.entries(uses).map(([use, times]) => (pattern.test(use) ? times : 0)));

/**
 * The uses in which a parameter was given. A request counts it once, as `limit`, `fields=basic` or
 * `limit>100`.
 */
export const givenAs = (name: string): RegExp => new RegExp(`^${name}(?=$|[=>])`);
