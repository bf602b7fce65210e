import type { FormName, KeyRecord } from '../domain/caller.ts';
import { dayOf } from '../domain/day.ts';
import { inactiveReason, scopeError } from './key-policy.ts';

/** Moving a key to the other form, as pure functions. Its record keeps every setting, so moving back restores all of them. */

/** Why a key cannot be moved to a form now (epoch milliseconds); `undefined` when it can. */
export const pinError = (key: KeyRecord, form: FormName, now: number): string | undefined => {
  const over = inactiveReason(key, now);
  return over === undefined ? scopeError(form, key.scopes) : `${over}.`;
};

const quotaRemark = ({ perHour }: KeyRecord, form: FormName): string =>
  form === 'variant'
    ? `Its own ${perHour} requests an hour hold again.`
    : `Its own ${perHour} requests an hour do not hold in the current form, where its organization is counted; they are kept and hold again if it moves back.`;

const sunsetRemark = ({ id, sunset = '' }: KeyRecord, form: FormName, now: number): string => {
  if (form === 'current')
    return `Its sunset on ${sunset} is kept but not told in the current form; it is told again if it moves back.`;
  const told = `It is told again that the variant form ends for it on ${sunset}`;
  return sunset > dayOf(now)
    ? `${told}.`
    : `${told}, which has passed: announce another day with "artist-gateway keys sunset ${id} --on DAY", or take it back with --off.`;
};

/** Remarks for the operator about settings of a key that the other form ignores or applies again. */
export const pinRemarks = (key: KeyRecord, form: FormName, now: number): readonly string[] => [
  ...(key.perHour === undefined ? [] : [quotaRemark(key, form)]),
  ...(key.sunset === undefined ? [] : [sunsetRemark(key, form, now)]),
];
