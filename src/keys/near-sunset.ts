import type { KeyRecord } from '../domain/caller.ts';
import { addDays, dayOf, daysBetween } from '../domain/day.ts';
import { type FormFacts, factsOfForm } from '../domain/form-facts.ts';
import { inactiveReason } from './key-policy.ts';

/** Days before its sunset from which a key that is in use is reported to operators. */
const noticeDays = 30;

/**
 * Days without requests after which a key is no longer in use, today included. Some clients call
 * only on Mondays.
 */
const callingDays = 7;

/**
 * True if a valid key has a past sunset or one within 30 days of `now` (epoch milliseconds), and is
 * in use: `lastAt` is its last request, in any form. The gauge, `doctor`, `keys list` and the fleet
 * page use this rule.
 */
export const isNearSunset = (
  key: KeyRecord,
  lastAt: number | undefined,
  forms: readonly FormFacts[],
  now: number,
): boolean =>
  key.sunset !== undefined &&
  daysBetween(dayOf(now), key.sunset) <= noticeDays &&
  factsOfForm(forms, key.form).announcesSunset &&
  inactiveReason(key, now) === undefined &&
  lastAt !== undefined &&
  dayOf(lastAt) > addDays(dayOf(now), -callingDays);

/** The last request of each key, in epoch milliseconds. */
export const createLastCalls = () => {
  const instants = new Map<string, number>();
  return {
    note(keyId: string, at: number): void {
      instants.set(keyId, at);
    },
    of: ({ id }: KeyRecord): number | undefined => instants.get(id),
  };
};

export type LastCalls = ReturnType<typeof createLastCalls>;
