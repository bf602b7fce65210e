import { type KeyRecord, scopes } from '../../../src/domain/caller.ts';
import { keyText } from '../../../src/keys/key-format.ts';
import type { ComparedForm } from '../../../tools/migration/mapping/forms.ts';
import { buildKey, keySourceOf, type TestKey } from '../builders.ts';

/**
 * Keys of a form, one for every reason to accept or refuse a key, with quotas that no test reaches.
 */
const createKeys = (form: ComparedForm) => {
  const key = (id: string, given: Partial<KeyRecord> = {}): TestKey =>
    buildKey({ id: form + id, form, ...given });
  return {
    full: key('Full'),
    override: key('Override', { allowEnvelopeOverride: true }),
    noArtists: key('NoArtists', { scopes: scopes.filter((scope) => scope !== 'artists:read') }),
    noSpikes: key('NoSpikes', {
      scopes: scopes.filter((scope) => scope !== 'spikes:read'),
      allowEnvelopeOverride: true,
    }),
    noSignings: key('NoSignings', { scopes: scopes.filter((scope) => scope !== 'signings:read') }),
    noticed: key('Noticed', {
      expiresAt: Date.parse('2027-06-30T12:00:00.999Z'),
      sunset: '2027-06-30',
      deprecatedAt: Date.parse('2026-06-30T12:00:00.999Z'),
      allowEnvelopeOverride: true,
    }),
    revoked: key('Revoked', { revokedAt: Date.parse('2026-08-22T12:00:00Z') }),
    expired: key('Expired', { expiresAt: Date.parse('2026-08-22T12:00:00Z') }),
    suspended: key('Suspended', { organizationId: 'org_suspended' }),
  };
};

export const keys: Readonly<Record<ComparedForm, ReturnType<typeof createKeys>>> = {
  current: createKeys('current'),
  variant: createKeys('variant'),
};

/** A well-formed key that was never issued. */
export const unissuedKey = keyText('stranger', 'x'.repeat(43));

export const keySource = keySourceOf(
  Object.values(keys).flatMap((ofForm) => Object.values(ofForm)),
  {},
  { id: 'org_suspended', suspendedAt: Date.parse('2026-08-22T12:00:00Z') },
);
