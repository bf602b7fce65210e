import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keyHash, keyText } from '../../../src/keys/key-format.ts';
import type { Limits } from './history.ts';

const list = '/api/v1/artists?limit=1';

/**
 * Creates a partner: an organization with one key, whose id is its name, its quota, and the paths
 * that it requests in turn. Quotas by the hour are of the variant form.
 */
export const createPartner = (name: string, limits: Limits, ...more: readonly string[]) => ({
  name,
  form: limits.hour === undefined ? 'current' : 'variant',
  limits,
  paths: [list, ...more],
});

export type NemesisPartner = ReturnType<typeof createPartner>;

/**
 * Quotas that are exceeded at 200 requests a second: by the minute, by the day, by the hour, with
 * refunds. The quota of `wide` is never exceeded.
 */
export const nemesisPartners = [
  createPartner('tight', { minute: 10, day: 1_000 }),
  createPartner('daily', { minute: 60, day: 150 }),
  createPartner('crowd', { minute: 400, day: 5_000 }),
  createPartner('wide', { minute: 90_000, day: 900_000 }),
  createPartner('hourly', { hour: 300 }),
  // Without the scope for spikes: 401, and the unit is refunded.
  createPartner('refunded', { hour: 200 }, '/api/v1/spikes'),
];

/** The subject of a partner's quotas, as the forms declare it. */
export const subjectOf = ({ name, form }: NemesisPartner): string =>
  form === 'current' ? `organization:org_${name}` : `key:${name}`;

/** The text of a partner's key. */
export const keyOf = ({ name }: NemesisPartner): string => keyText(name, 'S'.repeat(43));

/** Writes the organizations and keys of partners into a folder for `KEYS_DIR`. */
export const writePartners = async (
  folder: string,
  partners: readonly NemesisPartner[],
): Promise<void> => {
  const documents = partners.map((one) => {
    const { name, form, limits } = one;
    const quota = Object.fromEntries(
      Object.entries(limits).map(([window, limit]) => [`per_${window}`, limit]),
    );
    const organization_id = `org_${name}`;
    return {
      organization: { _id: organization_id, name, quota: form === 'current' ? quota : {} },
      key: {
        ...{ _id: name, hash: keyHash(keyOf(one)), organization_id, partner: name, form },
        ...{ scopes: ['artists:read'], quota: form === 'variant' ? quota : {} },
        created_at: '2026-01-15T09:00:00.000Z',
      },
    };
  });
  const write = (name: string, list: readonly object[]) =>
    writeFile(join(folder, `${name}.json`), JSON.stringify(list));
  await write(
    'organizations',
    documents.map(({ organization }) => organization),
  );
  await write(
    'api_keys',
    documents.map(({ key }) => key),
  );
};
