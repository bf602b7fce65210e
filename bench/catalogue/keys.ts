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

/** Default quotas, or quotas that no run uses up. */
type Quotas = 'usual' | 'plenty';

const organizationOf = (id: string, quotas: Quotas = 'plenty') => ({
  _id: id,
  name: id,
  ...(quotas === 'plenty' && { quota: { per_minute: plenty, per_day: plenty } }),
});

export const documentOf = (
  { id, hash }: Pick<NewKey, 'id' | 'hash'>,
  organization: string,
  form: Form,
  quotas: Quotas = 'plenty',
) => ({
  _id: id,
  hash,
  organization_id: organization,
  partner: 'Bench',
  form,
  scopes,
  ...(quotas === 'plenty' && { quota: { per_hour: plenty } }),
  created_at: '2025-01-01T00:00:00.000Z',
});

/** Makes keys of an organization with quotas that no run uses up. */
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

/** Adds organizations with a key of each form. Returns the keys, too. */
export const addOrganizations = (keys: Keys, count: number, quotas: Quotas = 'plenty') => {
  const names = Array.from({ length: count }, (_, index) => `org_${index}`);
  const added = names.map((name) => ({ name, current: generateKey(), variant: generateKey() }));
  const documents = added.flatMap(({ name, current, variant }) => [
    documentOf(current, name, 'current', quotas),
    documentOf(variant, name, 'variant', quotas),
  ]);
  return {
    added,
    texts: {
      current: added.map(({ current }) => current.text),
      variant: added.map(({ variant }) => variant.text),
    },
    keys: {
      ...keys,
      organizations: [...keys.organizations, ...names.map((name) => organizationOf(name, quotas))],
      documents: [...keys.documents, ...documents],
    },
  };
};
