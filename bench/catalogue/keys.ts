import { readBuilt } from '../built.ts';

/** A key of each form, of an organization that may ask as often as it likes: nothing is ever refused. */
export interface Keys {
  /** Texts, as they are sent. */
  readonly current: string;
  readonly variant: string;
  readonly documents: readonly object[];
  readonly organizations: readonly object[];
}

const plenty = 1_000_000_000;
const scopes = ['artists:read', 'spikes:read', 'signings:read', 'editorial:read', 'signing-notes:read'];

export const makeKeys = async (): Promise<Keys> => {
  const { mintKey } = await readBuilt('src/keys/generate-key.js');
  const keys = { current: mintKey(), variant: mintKey() };
  return {
    current: keys.current.text,
    variant: keys.variant.text,
    organizations: [{ _id: 'org_bench', name: 'Bench', quota: { per_minute: plenty, per_day: plenty } }],
    documents: Object.entries(keys).map(([form, { id, hash }]) => ({
      _id: id,
      hash,
      organization_id: 'org_bench',
      partner: 'Bench',
      form,
      scopes,
      quota: { per_hour: plenty },
      created_at: '2025-01-01T00:00:00.000Z',
    })),
  };
};
