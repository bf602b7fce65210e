import { forms } from '../../adapters/forms/forms.ts';
import type { Allowance, KeyRecord, Organization } from '../../src/domain/caller.ts';
import { formatInstant } from '../../src/domain/quantities.ts';
import { inactiveReason, newKeyRecord, runningTrial, stateOf } from '../../src/keys/key-policy.ts';
import { keyAt } from '../../src/keys/pinning.ts';
import type { Allowances } from '../migration/assess.ts';
import type { KeyRegistry, Subject } from './resolve-subject.ts';

const allowancesOf: Allowances['of'] = (key, organization) =>
  forms
    .filter(({ name }) => name === key.form)
    .flatMap(({ allowances }) => allowances({ key, organization, scopes: new Set(key.scopes) }))
    .map(({ window, limit, subject }) => ({ window, limit, subject }));

/** Requests are charged what their form declares: see `src/quota/quota.ts`. */
export const allowances: Allowances = {
  of: allowancesOf,
  sharedBy(organization) {
    // Forms declare allowances for a caller, so this asks for a caller with an empty key.
    const emptyKey = {
      id: '',
      hash: '',
      organizationId: organization.id,
      partner: '',
      scopes: [],
      createdAt: 0,
    };
    return forms
      .flatMap(({ name }) => allowancesOf(newKeyRecord({ ...emptyKey, form: name }), organization))
      .filter(({ subject }) => subject === `organization:${organization.id}`);
  },
};

/**
 * What a key may do, and why not. Gateways cannot judge a key that cannot be read, or whose
 * organization cannot, unless one of them says that it has ended.
 */
type ListedState = ReturnType<typeof stateOf> | 'no organization' | 'unreadable';

/** What to know about a key that was issued or moved while its organization is suspended. */
export const suspensionWarnings = (organization: Organization | undefined): readonly string[] =>
  organization?.suspendedAt === undefined
    ? []
    : [`Gateways refuse it while ${organization.id} is suspended.`];

/** The state of a key at an instant (epoch milliseconds). */
export const listedStateOf = (key: KeyRecord, registry: KeyRegistry, now: number): ListedState => {
  if (key.revokedAt !== undefined) return 'revoked';
  const organization = registry.ownerOf(key);
  if (organization !== undefined) return stateOf(key, organization, now);
  const unreadable = registry.unreadable.find(({ id }) => id === key.id);
  if (unreadable === undefined) return 'no organization';
  return unreadable.isEnded === true ? 'suspended' : 'unreadable';
};

/**
 * A key's effective policy at an instant (epoch milliseconds), without its hash. A key whose
 * organization is missing has no windows.
 */
export const policyOf = (key: KeyRecord, registry: KeyRegistry, now: number) => {
  const organization = registry.ownerOf(key);
  const trial = runningTrial(key, now);
  return {
    id: key.id,
    organization_id: key.organizationId,
    partner: key.partner,
    form: key.form,
    trial: trial && { form: trial.form, until: formatInstant(trial.until) },
    scopes: key.scopes,
    state: listedStateOf(key, registry, now),
    allow_envelope_override: key.allowEnvelopeOverride,
    windows: organization === undefined ? [] : allowances.of(keyAt(key, now), organization),
    created_at: formatInstant(key.createdAt),
    expires_at: formatInstant(key.expiresAt),
    revoked_at: formatInstant(key.revokedAt),
    replaced_by: key.replacedBy,
    sunset: key.sunset,
    deprecated_at: formatInstant(key.deprecatedAt),
  };
};

export type Policy = ReturnType<typeof policyOf>;

export type ListedKey = { readonly [Member in keyof Policy]?: Policy[Member] | undefined } & Pick<
  Policy,
  'state'
>;

export const unreadablePolicies = ({ keys, unreadable }: KeyRegistry): readonly ListedKey[] =>
  unreadable
    .filter(({ id }) => keys.every((key) => key.id !== id))
    .map(({ id, organizationId, form, isEnded }) => ({
      id,
      organization_id: organizationId,
      form,
      state: isEnded === true ? 'revoked' : 'unreadable',
    }));

/** The trial of a policy in words: `current until 2026-11-26T14:00:00.000Z`. */
export const formatTrial = ({ trial }: Pick<ListedKey, 'trial'>): string | undefined =>
  trial && `${trial.form} until ${trial.until}`;

export const activeKeys = (keys: readonly KeyRecord[], now: number): readonly KeyRecord[] =>
  keys.filter((key) => inactiveReason(key, now) === undefined);

/**
 * The windows of a subject. A key has the windows of its form; an organization has the windows that
 * its keys share, and the own windows of each active key.
 */
export const subjectAllowances = (
  subject: Subject,
  registry: KeyRegistry,
  now: number,
): readonly Allowance[] => {
  const { organization } = subject;
  if (subject.kind === 'key') return allowances.of(keyAt(subject.key, now), organization);
  const shared = allowances.sharedBy(organization);
  const own = activeKeys(registry.keysOf(organization.id), now)
    .flatMap((key) => allowances.of(keyAt(key, now), organization))
    .filter((allowance) => shared.every((one) => one.subject !== allowance.subject));
  return [...shared, ...own];
};

export const windowNames = { minute: 'a minute', hour: 'an hour', day: 'a UTC day' } as const;

/**
 * The windows of a policy in words: `10 a minute, 1000 a UTC day, counted for organization:acme`.
 */
export const formatWindows = ({ windows }: Pick<Policy, 'windows'>): string =>
  `${windows.map(({ window, limit }) => `${limit} ${windowNames[window]}`).join(', ')}, counted for ${windows[0]?.subject ?? 'no organization'}`;
