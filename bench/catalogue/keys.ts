import { generateKey, type NewKey } from '../../src/keys/generate-key.ts';

const plenty = 1_000_000_000;
const scopes = [
  'artists:read',
  'spikes:read',
  'signings:read',
  'editorial:read',
  'signing-notes:read',
];

const organizationOf = (id: string, perDay = plenty) => ({
  _id: id,
  name: id,
  quota: { per_minute: plenty, per_day: perDay },
});

const documentOf = ({ id, hash }: NewKey, organization: string, form = 'current') => ({
  _id: id,
  hash,
  organization_id: organization,
  partner: 'Bench',
  form,
  scopes,
  quota: { per_hour: plenty },
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

/** Adds organizations with a key of each form, and gives the texts of those too. */
export const addOrganizations = (keys: Keys, count: number) => {
  const names = Array.from({ length: count }, (_, index) => `org_${index}`);
  const added = names.map((name) => ({ name, current: generateKey(), variant: generateKey() }));
  const documents = added.flatMap(({ name, current, variant }) => [
    documentOf(current, name),
    documentOf(variant, name, 'variant'),
  ]);
  return {
    texts: {
      current: added.map(({ current }) => current.text),
      variant: added.map(({ variant }) => variant.text),
    },
    keys: {
      ...keys,
      organizations: [...keys.organizations, ...names.map((name) => organizationOf(name))],
      documents: [...keys.documents, ...documents],
    },
  };
};
