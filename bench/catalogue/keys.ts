import { importBuilt } from '../built.ts';

const plenty = 1_000_000_000;
const limitedScopes = ['artists:read', 'spikes:read', 'signings:read'];
const scopes = [...limitedScopes, 'editorial:read', 'signing-notes:read'];

/** Makes keys of an organization whose quotas are too large to be spent; `limited` has no scopes for editorial and signing notes. */
export const makeKeys = async () => {
  const { generateKey } = await importBuilt('src/keys/generate-key.js');
  const keys = { current: generateKey(), variant: generateKey(), limited: generateKey() };
  return {
    current: keys.current.text,
    variant: keys.variant.text,
    limited: keys.limited.text,
    organizations: [{ _id: 'org_bench', name: 'Bench', quota: { per_minute: plenty, per_day: plenty } }],
    documents: Object.entries(keys).map(([name, { id, hash }]) => ({
      _id: id,
      hash,
      organization_id: 'org_bench',
      partner: 'Bench',
      form: name === 'variant' ? 'variant' : 'current',
      scopes: name === 'limited' ? limitedScopes : scopes,
      quota: { per_hour: plenty },
      created_at: '2025-01-01T00:00:00.000Z',
    })),
  };
};

export type Keys = Awaited<ReturnType<typeof makeKeys>>;
