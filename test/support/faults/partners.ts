import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keyHash, keyText } from '../../../src/keys/key-format.ts';

/** An organization with one key: its form, scopes and quota. */
export interface Partner {
  readonly name: string;
  readonly form: 'current' | 'variant';
  readonly scopes: readonly string[];
  readonly quota: { readonly per_minute?: number; readonly per_day?: number; readonly per_hour?: number };
}

/** A folder for `KEYS_DIR`, and the text of each partner's key. */
export interface PartnersFolder {
  readonly folder: string;
  readonly keys: readonly string[];
  remove(): Promise<void>;
}

/** The id of a partner's organization. */
export const organizationOf = ({ name }: Partner): string => `org_${name}`;

/** Partners of the current form with a quota that no test reaches. */
export const unlimitedPartners = (count: number): Partner[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `load${String(index).padStart(3, '0')}`,
    form: 'current',
    scopes: ['artists:read'],
    quota: { per_minute: 100_000, per_day: 1_000_000 },
  }));

/** Writes the partners' organizations and keys. The id of a key is the partner's name. */
export const writePartners = async (partners: readonly Partner[]): Promise<PartnersFolder> => {
  const folder = await mkdtemp(join(tmpdir(), 'artist-gateway-partners-'));
  const textOf = ({ name }: Partner): string => keyText(name, 'S'.repeat(43));
  const organizations = partners.map((partner) => ({
    _id: organizationOf(partner),
    name: partner.name,
    quota: partner.form === 'current' ? partner.quota : {},
  }));
  const keys = partners.map((partner) => ({
    _id: partner.name,
    hash: keyHash(textOf(partner)),
    organization_id: organizationOf(partner),
    partner: partner.name,
    form: partner.form,
    scopes: partner.scopes,
    quota: partner.form === 'variant' ? partner.quota : {},
    created_at: '2026-01-15T09:00:00.000Z',
  }));
  await writeFile(join(folder, 'organizations.json'), JSON.stringify(organizations));
  await writeFile(join(folder, 'api_keys.json'), JSON.stringify(keys));
  return { folder, keys: partners.map(textOf), remove: () => rm(folder, { recursive: true, force: true }) };
};
