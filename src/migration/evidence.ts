import type { ComparedForm } from '../crosswalk/forms.ts';
import type { Day } from '../domain/day.ts';
import type { UsageCount } from '../domain/usage.ts';

/** The form that a key is of, and the one it is to move to. */
export interface Move {
  readonly from: ComparedForm;
  readonly to: ComparedForm;
}

/** How often something was seen, and on which day it was seen last. */
export interface Occurrences {
  readonly requests: number;
  readonly last_day: Day | undefined;
}

/** Adds up what each count says. */
export const seenIn = (counts: readonly UsageCount[], timesIn: (count: UsageCount) => number): Occurrences => {
  let requests = 0;
  let last: Day | undefined;
  for (const count of counts) {
    const times = timesIn(count);
    requests += times;
    if (times > 0 && (last === undefined || count.day > last)) last = count.day;
  }
  return { requests, last_day: last };
};

export const allRequests = ({ requests }: UsageCount): number => requests;

/** The template of a route as the crosswalk writes paths: `/artists/{id}`; `undefined` when there was nothing at the path. */
export const pathOf = ({ route }: UsageCount): string | undefined =>
  route?.replace('/api/v1', '').replaceAll(/:(\w+)/g, '{$1}');

/** In how many requests a parameter was used in a way that the name of the use matches. */
export const countOccurrences = ({ uses }: UsageCount, name: RegExp): number =>
  Object.entries(uses).reduce((sum, [use, times]) => (name.test(use) ? sum + times : sum), 0);

/** In how many requests a parameter was given: each tells it once, as `limit`, `fields=basic` or `limit>100`. */
export const timesGiven = (count: UsageCount, name: string): number =>
  countOccurrences(count, new RegExp(`^${name}([=>].*)?$`));
