import { type Day, daysBetween } from '../../src/domain/day.ts';
import type { FormFacts } from '../../src/domain/form-facts.ts';
import { sum } from '../../src/domain/quantities.ts';
import type { UsageCount } from '../../src/domain/usage.ts';
import { sumOccurrences } from './evidence.ts';

/** Requests of each UTC day of a period, by the form they were served in. */
export type DailyCalls = Readonly<Record<string, readonly number[]>>;

const weekDays = 7;

/** Adds up the requests of `days` days from `since` on. */
export const dailyCalls = (
  counts: readonly UsageCount[],
  forms: readonly FormFacts[],
  { since, days }: { readonly since: Day; readonly days: number },
): DailyCalls => {
  const calls = Object.fromEntries(
    forms.map(({ name }) => [name, Array.from({ length: days }, () => 0)]),
  );
  for (const { day, form, requests } of counts) {
    const [ofForm, index] = [calls[form], daysBetween(since, day)];
    if (ofForm?.[index] !== undefined) ofForm[index] += requests;
  }
  return calls;
};

/** Requests of each day in all forms together. */
const perDay = (calls: DailyCalls): readonly number[] => {
  const [first = [], ...others] = Object.values(calls);
  return first.map((number, index) => number + sum(others.map((ofForm) => ofForm[index] ?? 0)));
};

/**
 * Calls a day, with one decimal: the requests in any form, divided by the days from the first of
 * them to today, both included. 0 without requests. Guide, report and page have this number.
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

/**
 * The growth of the last 7 full days over the 7 before, in percent; today is not over. `undefined`
 * where the first request is less than 14 full days old.
 */
export const trendPercent = (calls: DailyCalls): number | undefined => {
  const all = perDay(calls);
  const firstCall = all.findIndex((requests) => requests > 0);
  const daily = firstCall === -1 ? [] : all.slice(firstCall);
  const [before, last] = [
    sum(daily.slice(-2 * weekDays - 1, -weekDays - 1)),
    sum(daily.slice(-weekDays - 1, -1)),
  ];
  return before === 0 || daily.length < 2 * weekDays + 1
    ? undefined
    : Math.round((last / before - 1) * 100);
};

/**
 * How much of the requests of the last `days` days a form served, in percent with one decimal;
 * `undefined` without any.
 */
export const sharePercent = (calls: DailyCalls, form: string, days: number): number | undefined => {
  const all = sum(perDay(calls).slice(-days));
  return all === 0
    ? undefined
    : Math.round((sum((calls[form] ?? []).slice(-days)) / all) * 1000) / 10;
};
