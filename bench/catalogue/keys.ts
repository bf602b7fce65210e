import { importBuilt } from '../built.ts';

/** Keys of an organization whose quotas are too large to be spent. */
export interface Keys {
  /** Texts, as they are sent. */
  readonly current: string;
  readonly variant: string;
  /** Of the current form, without the scopes for editorial and signing notes. */
  readonly limited: string;
  readonly documents: readonly object[];
  readonly organizations: readonly object[];
}

const plenty = 1_000_000_000;
const limitedScopes = ['artists:read', 'spikes:read', 'signings:read'];
const scopes = [...limitedScopes, 'editorial:read', 'signing-notes:read'];

export const makeKeys = async (): Promise<Keys> => {
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
