import type { KeyRecord, Organization, Scope, Trial, UnreadableKey } from '../domain/caller.ts';
import { type Day, dayOf } from '../domain/day.ts';
import { type FormFacts, factsOfForm } from '../domain/form-facts.ts';
import { dayMs } from '../domain/time.ts';

/**
 * The operator's changes to keys as pure functions: whether a change is valid, and the key after
 * it.
 */

/** Why a key of this form cannot have exactly these scopes; `undefined` when it can. */
export const scopeError = (
  { name, requiredScopes }: Pick<FormFacts, 'name' | 'requiredScopes'>,
  scopes: readonly Scope[],
): string | undefined => {
  const missing = requiredScopes.filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return undefined;
  return `A key of the ${name} form needs ${requiredScopes.join(', ')}: add ${missing.join(', ')}.`;
};

/** Why a key of this form cannot have an hourly limit of its own; `undefined` when it can. */
export const hourlyLimitError = ({
  name,
  quotaSubject,
}: Pick<FormFacts, 'name' | 'quotaSubject'>): string | undefined =>
  quotaSubject === 'key'
    ? undefined
    : `A key of the ${name} form counts against its organization: use "organizations set --per-minute --per-day".`;

type KeyState = 'active' | 'expired' | 'revoked' | 'suspended';

/**
 * True if gateways accept a key now (epoch milliseconds), and if not, why. A revocation and a
 * suspension count by their presence: the clock that wrote their instant may be ahead. Only an
 * expiry is a schedule.
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
 * Why a key can no longer be used; `undefined` while it can. A suspension does not count: it can be
 * lifted.
 */
export const inactiveReason = (key: KeyRecord, now: number): string | undefined => {
  const state = stateOf(key, undefined, now);
  const since =
    state === 'revoked' ? key.revokedAt : state === 'expired' ? key.expiresAt : undefined;
  return since === undefined
    ? undefined
    : `Key ${key.id} has been ${state} since ${new Date(since).toISOString()}`;
};

/** The trial of a key that runs at an instant (epoch milliseconds). */
export const runningTrial = (
  { trial }: Pick<UnreadableKey, 'trial'>,
  now: number,
): Trial | undefined => (trial !== undefined && now < trial.until ? trial : undefined);

/**
 * A key is reported to operators from this long before it expires, in milliseconds: time to hand
 * its partner a successor.
 */
const expiryNoticeMs = 30 * dayMs;

/**
 * True if a key that is valid now (epoch milliseconds) expires within 30 days, and no other
 * replaces it.
 */
export const expiresSoon = (key: KeyRecord, now: number): boolean =>
  key.replacedBy === undefined &&
  key.expiresAt !== undefined &&
  key.expiresAt <= now + expiryNoticeMs &&
  inactiveReason(key, now) === undefined;

/** A key from its parts: by default without a limit of its own, override, sunset or expiry. */
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
  /** The key that takes over: the same policy and the same lifetime, from now on. */
  readonly successor: KeyRecord;
  /**
   * The replaced key: expires when the overlap ends, or when it would have anyway if that is
   * earlier; revoked without one.
   */
  readonly former: KeyRecord;
}

/** Why a key cannot be rotated now (epoch milliseconds); `undefined` when it can. */
export const rotationError = (key: KeyRecord, now: number): string | undefined => {
  const inactive = inactiveReason(key, now);
  if (key.replacedBy === undefined) return inactive && `${inactive}: issue a key instead.`;
  return key.revokedAt === undefined
    ? `Key ${key.id} was rotated: ${key.replacedBy} replaces it. Rotate that one, or end ${key.id} now with "artist-gateway keys revoke ${key.id}".`
    : `${inactive}: ${key.replacedBy} replaces it.`;
};

/**
 * Replaces a key by another. Both are valid for `overlapMs` milliseconds; for 0 the former ends at
 * once, whatever the clocks.
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
  former: {
    ...key,
    replacedBy: made.id,
    ...(overlapMs === 0
      ? { revokedAt: now }
      : { expiresAt: Math.min(key.expiresAt ?? Number.POSITIVE_INFINITY, now + overlapMs) }),
  },
});

/**
 * Why a day cannot be a key's sunset; `undefined` when it can. The form ends as the day begins
 * (UTC), so today is too late; and a sunset is never before the deprecation (RFC 9745).
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
