import { generateKey, type NewKey } from '../../src/keys/generate-key.ts';

const plenty = 1_000_000_000;
const scopes = [
  'artists:read',
  'spikes:read',
  'signings:read',
  'editorial:read',
  'signing-notes:read',
];

export type Form = 'current' | 'variant';

/** Whether the quotas are those of the gateway's forms or too large to be spent. */
type Quotas = 'usual' | 'plenty';

const organizationOf = (id: string, perDay = plenty, quotas: Quotas = 'plenty') => ({
  _id: id,
  name: id,
  ...(quotas === 'plenty' ? { quota: { per_minute: plenty, per_day: perDay } } : {}),
});

/** The stored document of a key. */
export const documentOf = (
  { id, hash }: NewKey,
  organization: string,
  form: Form = 'current',
  quotas: Quotas = 'plenty',
) => ({
  _id: id,
  hash,
  organization_id: organization,
  partner: 'Bench',
  form,
  scopes,
  ...(quotas === 'plenty' ? { quota: { per_hour: plenty } } : {}),
  created_at: '2025-01-01T00:00:00.000Z',
});

/**
 * Makes keys of an organization whose quotas are too large to be spent. `spent` belongs to one that
 * may ask once a day.
 */
export const makeKeys = () => {
  const [current, variant, spent] = [generateKey(), generateKey(), generateKey()];
  return {
    current: current.text,
    variant: variant.text,
    spent: spent.text,
    organizations: [organizationOf('org_bench'), organizationOf('org_spent', 1)],
    documents: [
      documentOf(current, 'org_bench'),
      documentOf(variant, 'org_bench', 'variant'),
      documentOf(spent, 'org_spent'),
    ],
  };
};

export type Keys = ReturnType<typeof makeKeys>;

/** Adds organizations with a key of each form, and gives those and their texts too. */
export const addOrganizations = (keys: Keys, count: number, quotas: Quotas = 'plenty') => {
  const names = Array.from({ length: count }, (_, index) => `org_${index}`);
  const added = names.map((name) => ({ name, current: generateKey(), variant: generateKey() }));
  const documents = added.flatMap(({ name, current, variant }) => [
    documentOf(current, name, 'current', quotas),
    documentOf(variant, name, 'variant', quotas),
  ]);
  const organizations = names.map((name) => organizationOf(name, plenty, quotas));
  return {
    added,
    texts: {
      current: added.map(({ current }) => current.text),
      variant: added.map(({ variant }) => variant.text),
    },
    keys: {
      ...keys,
      organizations: [...keys.organizations, ...organizations],
      documents: [...keys.documents, ...documents],
    },
  };
};

/** Organizations that were added, with a key of each form. */
export type Added = ReturnType<typeof addOrganizations>['added'];
