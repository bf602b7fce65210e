import type { KeyRecord, UnreadableKey } from '../domain/caller.ts';
import { dayOf } from '../domain/day.ts';
import { type FormFacts, factsOfForm } from '../domain/form-facts.ts';
import { countOf, formatInstant } from '../domain/quantities.ts';
import { dayMs, minuteMs } from '../domain/time.ts';
import { inactiveReason, runningTrial, scopeError } from './key-policy.ts';

/**
 * Moving a key from one form to another, as pure functions. A move changes nothing but the form, so
 * it can be undone.
 */

/** What decides the form that a key is served in, also of one that cannot be judged. */
type Pinned = Pick<UnreadableKey, 'form' | 'trial'>;

/**
 * The key as gateways serve it at an instant (epoch milliseconds): during a trial as if it were
 * pinned to the form that is tried (decisions, "Operator's commands"). Nothing is written when
 * a trial ends, so it ends with the database away too.
 */
export const keyAt = <Key extends Pinned>(key: Key, now: number): Key => {
  const trial = runningTrial(key, now);
  return trial === undefined ? key : { ...key, form: trial.form };
};

/** Bounds of a trial's length in milliseconds: a minute, and 7 days. */
const trialLengths = { min: minuteMs, max: 7 * dayMs };

/** Why a key cannot try a form for this long (milliseconds); `undefined` when it can. */
export const trialError = (
  key: KeyRecord,
  form: FormFacts,
  lengthMs: number,
): string | undefined => {
  if (key.form === form.name)
    return `Key ${key.id} is pinned to the ${form.name} form: there is nothing to try.`;
  return lengthMs >= trialLengths.min && lengthMs <= trialLengths.max
    ? undefined
    : 'A trial lasts 1 minute to 7 days, for example --for 30m.';
};

/** Why a key cannot be moved to a form now (epoch milliseconds); `undefined` when it can. */
export const pinError = (key: KeyRecord, form: FormFacts, now: number): string | undefined => {
  const inactive = inactiveReason(key, now);
  return inactive === undefined ? scopeError(form, key.scopes) : `${inactive}.`;
};

/**
 * Why a key in a trial at an instant (epoch milliseconds) cannot have its scopes; `undefined` when
 * it can, or is in none.
 */
export const trialScopeError = (
  key: KeyRecord,
  forms: readonly FormFacts[],
  now: number,
): string | undefined => {
  const trial = runningTrial(key, now);
  const refusal = trial && scopeError(factsOfForm(forms, trial.form), key.scopes);
  return (
    refusal &&
    `${refusal} Key ${key.id} is trying that form until ${formatInstant(trial.until)}; to end the trial: artist-gateway keys pin ${key.id} --back --reason TEXT`
  );
};

const quotaRemark = ({ perHour = 0 }: KeyRecord, { name, quotaSubject }: FormFacts): string =>
  quotaSubject === 'key'
    ? `Its own quota of ${countOf(perHour, 'request')} an hour applies again.`
    : `Its own quota of ${countOf(perHour, 'request')} an hour does not apply in the ${name} form, which counts per organization; it is kept, and applies again if the key moves back.`;

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
    : `${announcement}, which has passed: announce another day with "artist-gateway keys sunset ${id} --on DAY", or withdraw it with --off.`;
};

/**
 * Remarks for the operator about a key that moves to a form: the settings that the form ignores or
 * applies again.
 */
export const pinRemarks = (key: KeyRecord, form: FormFacts, now: number): readonly string[] => [
  ...(key.perHour === undefined ? [] : [quotaRemark(key, form)]),
  ...(key.sunset === undefined ? [] : [sunsetRemark(key, form, now)]),
];
