import type { KeyRecord, Organization, Scope, Trial, UnreadableKey } from '../domain/caller.ts';
import { type Day, dayOf } from '../domain/day.ts';
import { type FormFacts, factsOfForm } from '../domain/form-facts.ts';
import { dayMs } from '../domain/time.ts';

// The operator's changes to keys, as pure functions: why a change is refused, and the changed key.

/** Why a key of this form cannot have exactly these scopes; `undefined` if it can. */
export const scopeError = (
  { name, requiredScopes }: Pick<FormFacts, 'name' | 'requiredScopes'>,
  scopes: readonly Scope[],
): string | undefined => {
  const missing = requiredScopes.filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return undefined;
  return `A key of the ${name} form needs ${requiredScopes.join(', ')}: add ${missing.join(', ')}.`;
};

/** Why a key of this form cannot have its own hourly limit; `undefined` if it can. */
export const hourlyLimitError = ({
  name,
  quotaSubject,
}: Pick<FormFacts, 'name' | 'quotaSubject'>): string | undefined =>
  quotaSubject === 'key'
    ? undefined
    : `A key of the ${name} form counts against its organization: use "organizations set --per-minute --per-day".`;

type KeyState = 'active' | 'expired' | 'revoked' | 'suspended';

/**
 * The state of a key at `now` (epoch milliseconds). A stored revocation or suspension always
 * counts, even with a time in the future: the clock that wrote it may be ahead. Only an expiry is
 * scheduled.
 */
export const stateOf = (
  key: KeyRecord,
  organization: Organization | undefined,
  now: number,
): KeyState => {
  if (key.revokedAt !== undefined) return 'revoked';
  if (key.expiresAt !== undefined && key.expiresAt <= now) return 'expired';
  if (organization?.suspendedAt !== undefined) return 'suspended';
  return 'active';
};

/**
 * Why a key can no longer be used; `undefined` while it can. Ignores a suspension, because it can
 * be lifted.
 */
export const inactiveReason = (key: KeyRecord, now: number): string | undefined => {
  const state = stateOf(key, undefined, now);
  const since =
    state === 'revoked' ? key.revokedAt : state === 'expired' ? key.expiresAt : undefined;
  return since === undefined
    ? undefined
    : `Key ${key.id} has been ${state} since ${new Date(since).toISOString()}`;
};

/** The running trial of a key at `now` (epoch milliseconds). */
export const runningTrial = (
  { trial }: Pick<UnreadableKey, 'trial'>,
  now: number,
): Trial | undefined => (trial !== undefined && now < trial.until ? trial : undefined);

/**
 * How long before its expiry a key is reported to operators, in milliseconds: time to give the
 * partner a new key.
 */
const expiryNoticeMs = 30 * dayMs;

/**
 * True if a valid key expires within 30 days of `now` (epoch milliseconds), and no other key
 * replaces it.
 */
export const expiresSoon = (key: KeyRecord, now: number): boolean =>
  key.replacedBy === undefined &&
  key.expiresAt !== undefined &&
  key.expiresAt <= now + expiryNoticeMs &&
  inactiveReason(key, now) === undefined;

/** A key from its parts. By default it has no own limit, override, sunset or expiry. */
export const newKeyRecord = (
  given: Pick<
    KeyRecord,
    'id' | 'hash' | 'organizationId' | 'partner' | 'form' | 'scopes' | 'createdAt'
  > &
    Partial<KeyRecord>,
): KeyRecord => ({
  perHour: undefined,
  allowEnvelopeOverride: false,
  sunset: undefined,
  deprecatedAt: undefined,
  expiresAt: undefined,
  revokedAt: undefined,
  replacedBy: undefined,
  trial: undefined,
  ...given,
});

interface Rotation {
  /** The new key: the same policy and lifetime, starting now. */
  readonly successor: KeyRecord;
  /**
   * The old key. It expires when the overlap ends, or at its own expiry if that is earlier. Without
   * an overlap it is revoked.
   */
  readonly previous: KeyRecord;
}

/** Why a key cannot be rotated at `now` (epoch milliseconds); `undefined` if it can. */
export const rotationError = (key: KeyRecord, now: number): string | undefined => {
  const inactive = inactiveReason(key, now);
  if (key.replacedBy === undefined) return inactive && `${inactive}: issue a key instead.`;
  return key.revokedAt === undefined
    ? `Key ${key.id} was rotated: ${key.replacedBy} replaces it. Rotate that one, or end ${key.id} now with "artist-gateway keys revoke ${key.id}".`
    : `${inactive}: ${key.replacedBy} replaces it.`;
};

/**
 * Rotates a key. Both keys are valid for `overlapMs` milliseconds. With 0 the old key is revoked,
 * which takes effect immediately even if clocks differ.
 */
export const rotate = (
  key: KeyRecord,
  made: Pick<KeyRecord, 'id' | 'hash'>,
  { now, overlapMs }: { readonly now: number; readonly overlapMs: number },
): Rotation => ({
  successor: {
    ...key,
    id: made.id,
    hash: made.hash,
    createdAt: now,
    trial: runningTrial(key, now),
    expiresAt: key.expiresAt === undefined ? undefined : now + (key.expiresAt - key.createdAt),
  },
  previous: {
    ...key,
    replacedBy: made.id,
    ...(overlapMs === 0
      ? { revokedAt: now }
      : { expiresAt: Math.min(key.expiresAt ?? Number.POSITIVE_INFINITY, now + overlapMs) }),
  },
});

/**
 * Why a day cannot be a key's sunset; `undefined` if it can. The form ends at the start of the day
 * (UTC), so today is too late. A sunset is never before the deprecation (RFC 9745).
 */
export const sunsetError = (
  key: KeyRecord,
  forms: readonly FormFacts[],
  sunset: Day,
  now: number,
): string | undefined => {
  const today = dayOf(now);
  if (!factsOfForm(forms, key.form).announcesSunset) {
    const announcing = forms
      .filter(({ announcesSunset }) => announcesSunset)
      .map(({ name }) => name);
    return `Only the ${announcing.join(' and ')} form announces a sunset; this key is of the ${key.form} form.`;
  }
  if (sunset <= today) return `${sunset} is not after today, ${today} (UTC): announce a later day.`;
  if (key.deprecatedAt === undefined || Date.parse(sunset) >= key.deprecatedAt) return undefined;
  const since = new Date(key.deprecatedAt).toISOString();
  return `${sunset} is before the key's deprecation at ${since}: a sunset cannot precede it.`;
};

/**
 * The key with a sunset, deprecated since `now` unless it already is. Without a day: neither sunset
 * nor deprecation.
 */
export const announceSunset = (
  key: KeyRecord,
  sunset: Day | undefined,
  now: number,
): KeyRecord => ({
  ...key,
  sunset,
  deprecatedAt: sunset === undefined ? undefined : (key.deprecatedAt ?? now),
});
