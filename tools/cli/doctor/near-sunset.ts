import { forms } from '../../../adapters/forms/forms.ts';
import type { KeyRecord } from '../../../src/domain/caller.ts';
import { addDays, dayOf } from '../../../src/domain/day.ts';
import { byCodePoint } from '../../../src/domain/order.ts';
import { createLastCalls, isNearSunset } from '../../../src/keys/near-sunset.ts';
import type { UsageReader } from '../../operator/usage.ts';

/**
 * The keys that still call within 30 days of their sunset or after it, the nearest day first, by
 * the usage of the last days, which is read only if a key has a sunset. `now` is the clock of
 * usage, in epoch milliseconds.
 */
export const loadKeysNearSunset = async (
  keys: readonly KeyRecord[],
  usage: UsageReader,
  now: number,
): Promise<readonly KeyRecord[]> => {
  const ending = keys.filter(({ sunset }) => sunset !== undefined);
  if (ending.length === 0) return [];
  const calls = createLastCalls();
  for (const { keyId, lastAt } of await usage.loadDays(addDays(dayOf(now), -7)))
    calls.note(keyId, lastAt);
  return ending
    .filter((key) => isNearSunset(key, calls.of(key), forms, now))
    .toSorted(({ sunset: one = '' }, { sunset: other = '' }) => byCodePoint(one, other));
};
