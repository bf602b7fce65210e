import type { KeyRecord, UnreadableKey } from '../domain/caller.ts';
import { dayOf } from '../domain/day.ts';
import { type FormFacts, factsOfForm } from '../domain/form-facts.ts';
import { countOf, formatInstant } from '../domain/quantities.ts';
import { dayMs, minuteMs } from '../domain/time.ts';
import { inactiveReason, runningTrial, scopeError } from './key-policy.ts';

// Moves keys between forms, as pure functions. A move changes only the form, so it can be undone.

/** The fields that decide the form of a key, even of a key that cannot be checked. */
type Pinned = Pick<UnreadableKey, 'form' | 'trial'>;

/**
 * The key as served at `now` (epoch milliseconds). During a trial it has the trial's form
 * (decisions, "Operator's commands"). A trial ends without a database write, so it also ends while
 * MongoDB is down.
 */
export const keyAt = <Key extends Pinned>(key: Key, now: number): Key => {
  const trial = runningTrial(key, now);
  return trial === undefined ? key : { ...key, form: trial.form };
};

/** Bounds of a trial's length in milliseconds: a minute, and 7 days. */
const trialLengths = { min: minuteMs, max: 7 * dayMs };

/** Why a key cannot try a form for this long (milliseconds); `undefined` if it can. */
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

/** Why a key cannot be moved to a form at `now` (epoch milliseconds); `undefined` if it can. */
export const pinError = (key: KeyRecord, form: FormFacts, now: number): string | undefined => {
  const inactive = inactiveReason(key, now);
  return inactive === undefined ? scopeError(form, key.scopes) : `${inactive}.`;
};

/**
 * Why a key in a trial at `now` (epoch milliseconds) cannot have its scopes; `undefined` if it can,
 * or has no trial.
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

const quotaWarning = ({ perHour = 0 }: KeyRecord, { name, quotaSubject }: FormFacts): string =>
  quotaSubject === 'key'
    ? `Its own quota of ${countOf(perHour, 'request')} an hour applies again.`
    : `Its own quota of ${countOf(perHour, 'request')} an hour does not apply in the ${name} form, which counts per organization; it is kept, and applies again if the key moves back.`;

const sunsetWarning = (
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
    : `${announcement}, which has passed: announce another day with "artist-gateway keys sunset ${id} --on DAY", or withdraw it with --on never.`;
};

/**
 * Warnings for the operator about a key that moves to a form: settings that the form ignores or
 * applies again.
 */
export const pinWarnings = (key: KeyRecord, form: FormFacts, now: number): readonly string[] => [
  ...(key.perHour === undefined ? [] : [quotaWarning(key, form)]),
  ...(key.sunset === undefined ? [] : [sunsetWarning(key, form, now)]),
];
