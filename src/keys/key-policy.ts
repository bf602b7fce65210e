import type { FormName, KeyRecord, Organization, Scope } from '../domain/caller.ts';
import { type Day, dayOf } from '../domain/day.ts';

/** What an operator may do to keys, as pure functions: what is valid, and what a key is afterwards. */

/** The scopes that every route of the variant form needs; it has no way to say that one is missing. */
export const readScopes = ['artists:read', 'spikes:read', 'signings:read'] as const satisfies readonly Scope[];

/** Why a key of this form cannot have exactly these scopes; `undefined` when it can. */
export const scopeError = (form: FormName, scopes: readonly Scope[]): string | undefined => {
  const missing = readScopes.filter((scope) => !scopes.includes(scope));
  if (form !== 'variant' || missing.length === 0) return undefined;
  return `A key of the variant form needs ${readScopes.join(', ')}: add ${missing.join(', ')}.`;
};

export type KeyState = 'active' | 'expired' | 'revoked' | 'suspended';

/** Whether a key opens anything now (epoch milliseconds), and if not, why. */
export const stateOf = (key: KeyRecord, organization: Organization | undefined, now: number): KeyState => {
  if (key.revokedAt !== undefined && key.revokedAt <= now) return 'revoked';
  if (key.expiresAt !== undefined && key.expiresAt <= now) return 'expired';
  if (organization?.suspendedAt !== undefined && organization.suspendedAt <= now) return 'suspended';
  return 'active';
};

/** Why a key can be neither rotated nor revoked any more; `undefined` while it can. */
export const inactiveReason = (key: KeyRecord, now: number): string | undefined => {
  const state = stateOf(key, undefined, now);
  const since = state === 'revoked' ? key.revokedAt : state === 'expired' ? key.expiresAt : undefined;
  return since === undefined ? undefined : `Key ${key.id} is ${state} since ${new Date(since).toISOString()}`;
};

/** A key from its parts: nothing is limited, announced or ended but what is given. */
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
  /** The key that takes over: the same policy, and a life as long as the first one had been given. */
  readonly successor: KeyRecord;
  /** The key that was, good until the overlap ends, and never longer than it would have been. */
  readonly former: KeyRecord;
}

/** Replaces a key by another, with a time in which both are good. */
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
 * Why a day cannot be announced to a key as the end of the variant form for it; `undefined` when it can. The form ends as the
 * day begins (UTC), so today would be over already; and nothing ends before it is deprecated (RFC 9745).
 */
export const sunsetError = (key: KeyRecord, sunset: Day, now: number): string | undefined => {
  const today = dayOf(now);
  if (key.form === 'current') return 'A sunset is told by the variant form only, and this key is of the current form.';
  if (sunset <= today) return `${sunset} is not after today, ${today} (UTC): a sunset lies ahead when it is announced.`;
  if (key.deprecatedAt === undefined || Date.parse(sunset) >= key.deprecatedAt) return undefined;
  const since = new Date(key.deprecatedAt).toISOString();
  return `${sunset} is before the key's deprecation at ${since}: nothing ends before it is deprecated.`;
};

/** The key with a day announced on which the variant form ends for it, and since when; or with nothing announced. */
export const announceSunset = (key: KeyRecord, sunset: Day | undefined, now: number): KeyRecord => ({
  ...key,
  sunset,
  deprecatedAt: sunset === undefined ? undefined : (key.deprecatedAt ?? now),
});
