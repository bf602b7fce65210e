import type { KeyRecord, Organization } from '../../src/domain/caller.ts';
import { formatInstant } from '../../src/domain/instants.ts';
import { stateOf } from '../../src/keys/key-policy.ts';
import type { Allowances } from '../../src/quota/allowances.ts';

/**
 * A key's effective policy at an instant (epoch milliseconds), without its hash. A key whose organization is missing has no
 * windows.
 */
export const policyOf = (
  key: KeyRecord,
  organization: Organization | undefined,
  allowances: Allowances,
  now: number,
) => ({
  id: key.id,
  organization_id: key.organizationId,
  partner: key.partner,
  form: key.form,
  scopes: key.scopes,
  state: organization === undefined ? 'no organization' : stateOf(key, organization, now),
  allow_envelope_override: key.allowEnvelopeOverride,
  windows: organization === undefined ? [] : allowances.of(key, organization),
  created_at: formatInstant(key.createdAt),
  expires_at: formatInstant(key.expiresAt),
  revoked_at: formatInstant(key.revokedAt),
  sunset: key.sunset,
  deprecated_at: formatInstant(key.deprecatedAt),
});

export type Policy = ReturnType<typeof policyOf>;

/** The windows of quotas, after a number of requests. */
export const windowNames = { minute: 'a minute', hour: 'an hour', day: 'a UTC day' } as const;

/** The windows of a policy in words: `10 a minute, 1000 a UTC day, counted for organization:acme`. */
export const formatWindows = ({ windows }: Pick<Policy, 'windows'>): string =>
  `${windows.map(({ window, limit }) => `${limit} ${windowNames[window]}`).join(', ')}, counted for ${windows[0]?.subject ?? 'no organization'}`;
