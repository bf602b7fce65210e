import type { FormName, KeyRecord, Organization, Scope } from '../domain/caller.ts';
import { type Day, dayOf } from '../domain/day.ts';

/** The operator's changes to keys as pure functions: whether a change is valid, and the key after it. */

/** The scopes that every variant key must have: the form has no 403 to report a missing one with. */
export const readScopes = ['artists:read', 'spikes:read', 'signings:read'] as const satisfies readonly Scope[];

/** Why a key of this form cannot have exactly these scopes; `undefined` when it can. */
export const scopeError = (form: FormName, scopes: readonly Scope[]): string | undefined => {
  const missing = readScopes.filter((scope) => !scopes.includes(scope));
  if (form !== 'variant' || missing.length === 0) return undefined;
  return `A key of the variant form needs ${readScopes.join(', ')}: add ${missing.join(', ')}.`;
};

export type KeyState = 'active' | 'expired' | 'revoked' | 'suspended';

/** Whether a key is active at `now` (epoch milliseconds), or why not. */
export const stateOf = (key: KeyRecord, organization: Organization | undefined, now: number): KeyState => {
  if (key.revokedAt !== undefined && key.revokedAt <= now) return 'revoked';
  if (key.expiresAt !== undefined && key.expiresAt <= now) return 'expired';
  if (organization?.suspendedAt !== undefined && organization.suspendedAt <= now) return 'suspended';
  return 'active';
};

/** Why a key can no longer be rotated or revoked; `undefined` while it can. */
export const inactiveReason = (key: KeyRecord, now: number): string | undefined => {
  const state = stateOf(key, undefined, now);
  const since = state === 'revoked' ? key.revokedAt : state === 'expired' ? key.expiresAt : undefined;
  return since === undefined ? undefined : `Key ${key.id} is ${state} since ${new Date(since).toISOString()}`;
};

/** Creates a key record; members that are not given get no limit, no sunset and no end. */
export const newKeyRecord = (
  given: Pick<KeyRecord, 'id' | 'hash' | 'organizationId' | 'partner' | 'form' | 'scopes' | 'createdAt'> &
    Partial<KeyRecord>,
): KeyRecord => ({
  perHour: undefined,
  allowEnvelopeOverride: false,
  sunset: undefined,
  deprecatedAt: undefined,
  expiresAt: undefined,
  revokedAt: undefined,
  ...given,
});

export interface Rotation {
  /** The new key, with the same policy and the same lifetime as the former key had from its creation. */
  readonly successor: KeyRecord;
  /** The replaced key. It expires when the overlap ends, or earlier if it already did. */
  readonly former: KeyRecord;
}

/** Replaces a key by a generated one. Both are active for `overlapMs` milliseconds from `now` (epoch milliseconds). */
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
    expiresAt: key.expiresAt === undefined ? undefined : now + (key.expiresAt - key.createdAt),
  },
  former: { ...key, expiresAt: Math.min(key.expiresAt ?? Number.POSITIVE_INFINITY, now + overlapMs) },
});

/**
 * Why `sunset` cannot be announced as the day the variant form ends for a key; `undefined` when it can. The form ends when the
 * day begins (UTC), so today is too late; and a sunset must not precede the deprecation (RFC 9745).
 */
export const sunsetError = (key: KeyRecord, sunset: Day, now: number): string | undefined => {
  const today = dayOf(now);
  if (key.form === 'current') return 'A sunset is told by the variant form only, and this key is of the current form.';
  if (sunset <= today) return `${sunset} is not after today, ${today} (UTC): a sunset lies ahead when it is announced.`;
  if (key.deprecatedAt === undefined || Date.parse(sunset) >= key.deprecatedAt) return undefined;
  const since = new Date(key.deprecatedAt).toISOString();
  return `${sunset} is before the key's deprecation at ${since}: nothing ends before it is deprecated.`;
};

/** Sets the key's sunset and, unless it has one, its deprecation instant; `undefined` removes both. */
export const announceSunset = (key: KeyRecord, sunset: Day | undefined, now: number): KeyRecord => ({
  ...key,
  sunset,
  deprecatedAt: sunset === undefined ? undefined : (key.deprecatedAt ?? now),
});
