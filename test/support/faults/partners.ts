import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keyHash, keyText } from '../../../src/keys/key-format.ts';

/** An organization with one key of the current form. */
export interface Partner {
  readonly organization: string;
  readonly key: string;
}

export interface PartnerQuota {
  readonly perMinute: number;
  readonly perDay: number;
}

/** A folder for `KEYS_DIR` with several organizations of the same quota. */
export interface PartnersFolder {
  readonly folder: string;
  readonly partners: readonly Partner[];
  remove(): Promise<void>;
}

/** Writes `count` organizations. */
export const writePartners = async (count: number, { perMinute, perDay }: PartnerQuota): Promise<PartnersFolder> => {
  const folder = await mkdtemp(join(tmpdir(), 'artist-gateway-partners-'));
  const ids = Array.from({ length: count }, (_, index) => String(index).padStart(3, '0'));
  const textOf = (id: string): string => keyText(`load${id}`, 'S'.repeat(43));
  const organizations = ids.map((id) => ({
    _id: `org_load${id}`,
    name: `Load ${id}`,
    quota: { per_minute: perMinute, per_day: perDay },
  }));
  const keys = ids.map((id) => ({
    _id: `load${id}`,
    hash: keyHash(textOf(id)),
    organization_id: `org_load${id}`,
    partner: `Load ${id}`,
    form: 'current',
    scopes: ['artists:read'],
    created_at: '2026-01-15T09:00:00.000Z',
  }));
  await writeFile(join(folder, 'organizations.json'), JSON.stringify(organizations));
  await writeFile(join(folder, 'api_keys.json'), JSON.stringify(keys));
  return {
    folder,
    partners: ids.map((id) => ({ organization: `org_load${id}`, key: textOf(id) })),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
};
