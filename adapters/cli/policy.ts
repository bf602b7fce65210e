import type { KeyRecord } from '../../src/domain/caller.ts';
import { formatInstant } from '../../src/domain/quantities.ts';
import { stateOf } from '../../src/keys/key-policy.ts';
import type { Allowances } from '../../src/migration/allowances.ts';
import type { KeyRegistry } from './resolve-subject.ts';

/** What a key may do, and why not. Gateways cannot judge a key that cannot be read, or whose organization cannot. */
export const listedStates = ['active', 'suspended', 'expired', 'revoked', 'no organization', 'unreadable'] as const;

type ListedState = (typeof listedStates)[number];

/** The state of a key at an instant (epoch milliseconds). */
export const listedStateOf = (key: KeyRecord, registry: KeyRegistry, now: number): ListedState => {
  const organization = registry.ownerOf(key);
  if (organization !== undefined) return stateOf(key, organization, now);
  return registry.unreadable.some(({ id }) => id === key.id) ? 'unreadable' : 'no organization';
};

/**
 * A key's effective policy at an instant (epoch milliseconds), without its hash. A key whose organization is missing has no
 * windows.
 */
export const policyOf = (key: KeyRecord, registry: KeyRegistry, allowances: Allowances, now: number) => {
  const organization = registry.ownerOf(key);
  return {
    id: key.id,
    organization_id: key.organizationId,
    partner: key.partner,
    form: key.form,
    scopes: key.scopes,
    state: listedStateOf(key, registry, now),
    allow_envelope_override: key.allowEnvelopeOverride,
    windows: organization === undefined ? [] : allowances.of(key, organization),
    created_at: formatInstant(key.createdAt),
    expires_at: formatInstant(key.expiresAt),
    revoked_at: formatInstant(key.revokedAt),
    replaced_by: key.replacedBy,
    sunset: key.sunset,
    deprecated_at: formatInstant(key.deprecatedAt),
  };
};

export type Policy = ReturnType<typeof policyOf>;

/** A key of a listing. Of one whose document cannot be read few members are known. */
export type ListedKey = Partial<Policy> & Pick<Policy, 'state'>;

/** The keys whose documents cannot be read. */
export const unreadablePolicies = ({ keys, unreadable }: KeyRegistry): readonly ListedKey[] =>
  unreadable
    .filter(({ id }) => keys.every((key) => key.id !== id))
    .map(({ id, organizationId, form }) => ({
      ...(id !== undefined && { id }),
      ...(organizationId !== undefined && { organization_id: organizationId }),
      ...(form !== undefined && { form }),
      state: 'unreadable',
    }));

/** The windows of quotas, after a number of requests. */
export const windowNames = { minute: 'a minute', hour: 'an hour', day: 'a UTC day' } as const;

/** The windows of a policy in words: `10 a minute, 1000 a UTC day, counted for organization:acme`. */
export const formatWindows = ({ windows }: Pick<Policy, 'windows'>): string =>
  `${windows.map(({ window, limit }) => `${limit} ${windowNames[window]}`).join(', ')}, counted for ${windows[0]?.subject ?? 'no organization'}`;
