import type { KeyRecord } from '../domain/caller.ts';
import { dayOf } from '../domain/day.ts';
import type { FormFacts } from '../domain/form-facts.ts';
import { countOf } from '../domain/quantities.ts';
import { inactiveReason, scopeError } from './key-policy.ts';

/**
 * Moving a key from one form to another, as pure functions. A move changes nothing but the form, so
 * it can be undone.
 */

/** Why a key cannot be moved to a form now (epoch milliseconds); `undefined` when it can. */
export const pinError = (key: KeyRecord, form: FormFacts, now: number): string | undefined => {
  const inactive = inactiveReason(key, now);
  return inactive === undefined ? scopeError(form, key.scopes) : `${inactive}.`;
};

const quotaRemark = ({ perHour = 0 }: KeyRecord, { name, quotaSubject }: FormFacts): string =>
  quotaSubject === 'key'
    ? `Its own quota of ${countOf(perHour, 'request')} an hour applies again.`
    : `Its own quota of ${countOf(perHour, 'request')} an hour does not apply in the ${name} form, which counts its organization; it is kept, and applies again if the key moves back.`;

const sunsetRemark = (
  { id, sunset = '' }: KeyRecord,
  { name, announcesSunset }: FormFacts,
  now: number,
): string => {
  if (!announcesSunset) {
    return `Its sunset on ${sunset} is kept, but the ${name} form does not announce it; gateways announce it again if the key moves back.`;
  }
  const announcement = `Gateways announce again that the ${name} form ends for it on ${sunset}`;
  return sunset > dayOf(now)
    ? `${announcement}.`
    : `${announcement}, which has passed: announce another day with "artist-gateway keys sunset ${id} --on DAY", or take it back with --off.`;
};

/**
 * Remarks for the operator about a key that moves to a form: the settings that the form ignores or
 * applies again.
 */
export const pinRemarks = (key: KeyRecord, form: FormFacts, now: number): readonly string[] => [
  ...(key.perHour === undefined ? [] : [quotaRemark(key, form)]),
  ...(key.sunset === undefined ? [] : [sunsetRemark(key, form, now)]),
];
