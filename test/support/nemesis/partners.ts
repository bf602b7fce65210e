import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { QuotaWindow } from '../../../src/domain/caller.ts';
import { keyHash, keyText } from '../../../src/keys/key-format.ts';
import type { History } from './history.ts';

/**
 * A partner of the nemesis: an organization with one key, whose id is its name, its quota, and the
 * paths it asks for in turn.
 */
export interface NemesisPartner {
  readonly name: string;
  readonly form: 'current' | 'variant';
  readonly quota: {
    readonly per_minute?: number;
    readonly per_day?: number;
    readonly per_hour?: number;
  };
  readonly paths: readonly string[];
}

const list = '/api/v1/artists?limit=1';

const partner = (
  name: string,
  form: NemesisPartner['form'],
  quota: NemesisPartner['quota'],
  ...more: readonly string[]
): NemesisPartner => ({ name, form, quota, paths: [list, ...more] });

/**
 * Quotas that are exceeded at 200 requests a second: by the minute, by the day, by the hour, with
 * refunds. The quota of `wide` is never exceeded.
 */
export const nemesisPartners: readonly NemesisPartner[] = [
  partner('tight', 'current', { per_minute: 10, per_day: 1_000 }),
  partner('daily', 'current', { per_minute: 60, per_day: 150 }),
  partner('crowd', 'current', { per_minute: 400, per_day: 5_000 }),
  partner('wide', 'current', { per_minute: 90_000, per_day: 900_000 }),
  partner('hourly', 'variant', { per_hour: 300 }),
  // Without the scope for spikes: 401, and the unit is refunded.
  partner('refunded', 'variant', { per_hour: 200 }, '/api/v1/spikes'),
];

/** The subject of a partner's quotas, as the forms declare it. */
export const subjectOf = ({ name, form }: NemesisPartner): string =>
  form === 'current' ? `organization:org_${name}` : `key:${name}`;

/** The windows and limits of a partner, in the order of the headers. */
export const limitsOf = ({ quota }: NemesisPartner): Partial<Record<QuotaWindow, number>> =>
  quota.per_hour === undefined
    ? { minute: quota.per_minute ?? 0, day: quota.per_day ?? 0 }
    : { hour: quota.per_hour };

export const limitsBySubject: History['limits'] = Object.fromEntries(
  nemesisPartners.map((one) => [subjectOf(one), limitsOf(one)]),
);

/** The text of a partner's key. */
export const keyOf = ({ name }: NemesisPartner): string => keyText(name, 'S'.repeat(43));

/** Writes the organizations and keys of partners into a folder for `KEYS_DIR`. */
export const writePartners = async (folder: string, partners = nemesisPartners): Promise<void> => {
  const organizations = partners.map(({ name, form, quota }) => ({
    ...{ _id: `org_${name}`, name, quota: form === 'current' ? quota : {} },
  }));
  const keys = partners.map((one) => ({
    ...{
      _id: one.name,
      hash: keyHash(keyOf(one)),
      organization_id: `org_${one.name}`,
      partner: one.name,
    },
    ...{ form: one.form, scopes: ['artists:read'], quota: one.form === 'variant' ? one.quota : {} },
    created_at: '2026-01-15T09:00:00.000Z',
  }));
  await writeFile(join(folder, 'organizations.json'), JSON.stringify(organizations));
  await writeFile(join(folder, 'api_keys.json'), JSON.stringify(keys));
};
