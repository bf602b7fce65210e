import { type Day, daysBetween } from '../../src/domain/day.ts';
import { openApiPath } from '../../src/domain/path-template.ts';
import type { UsageCount } from '../../src/domain/usage.ts';

/** The form that partners are asked to leave, and the form that they move to. */
export const requestedMove = { from: 'variant', to: 'current' } as const;

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

/**
 * Calls a day, with one decimal: the requests in any form, divided by the days from the first of
 * them to today, both included. 0 without requests.
 *
 * @param further requests to count too, of the same days
 */
export const callsADay = (counts: readonly UsageCount[], today: Day, further = 0): number => {
  const [first] = counts.map(({ day }) => day).sort();
  return first === undefined
    ? 0
    : Math.round(
        ((sumOccurrences(counts).requests + further) / (daysBetween(first, today) + 1)) * 10,
      ) / 10;
};
