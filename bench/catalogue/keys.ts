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

const organizationOf = (id: string) => ({
  _id: id,
  name: id,
  quota: { per_minute: plenty, per_day: plenty },
});

/** The stored document of a key. */
const documentOf = ({ id, hash }: NewKey, organization: string, form: Form) => ({
  _id: id,
  hash,
  organization_id: organization,
  partner: 'Bench',
  form,
  scopes,
  quota: { per_hour: plenty },
  created_at: '2025-01-01T00:00:00.000Z',
});

/** Makes keys of an organization whose quotas are too large to be used up. */
export const makeKeys = () => {
  const [current, variant] = [generateKey(), generateKey()];
  return {
    current: current.text,
    variant: variant.text,
    organizations: [organizationOf('org_bench')],
    documents: [
      documentOf(current, 'org_bench', 'current'),
      documentOf(variant, 'org_bench', 'variant'),
    ],
  };
};

export type Keys = ReturnType<typeof makeKeys>;

/** Adds organizations with a key of each form, and returns the texts of these keys too. */
export const addOrganizations = (keys: Keys, count: number) => {
  const names = Array.from({ length: count }, (_, index) => `org_${index}`);
  const added = names.map((name) => ({ name, current: generateKey(), variant: generateKey() }));
  const documents = added.flatMap(({ name, current, variant }) => [
    documentOf(current, name, 'current'),
    documentOf(variant, name, 'variant'),
  ]);
  return {
    texts: {
      current: added.map(({ current }) => current.text),
      variant: added.map(({ variant }) => variant.text),
    },
    keys: {
      ...keys,
      organizations: [...keys.organizations, ...names.map(organizationOf)],
      documents: [...keys.documents, ...documents],
    },
  };
};
