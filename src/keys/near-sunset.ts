import type { KeyRecord } from '../domain/caller.ts';
import { addDays, dayOf, daysBetween } from '../domain/day.ts';
import { type FormFacts, factsOfForm } from '../domain/form-facts.ts';
import { inactiveReason } from './key-policy.ts';

/** A key that still calls is reported to operators from this many days before its sunset. */
const noticeDays = 30;

/** A key still calls when it did so in as many days, today included: some call only on Mondays. */
const callingDays = 7;

/**
 * True if a key that is valid now (epoch milliseconds) has a sunset within 30 days or behind it,
 * and still calls: `lastAt` is its last request, in any form. The gauge, `doctor`, `keys list` and
 * the page of the fleet name the same keys.
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
