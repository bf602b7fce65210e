import type { Allowance, KeyRecord, Organization } from '../../caller.ts';
import { whyOver } from '../../key-changes.ts';
import type { Allowances } from '../allowances.ts';
import type { IssuedKeys } from '../issued-keys.ts';
import { Misuse } from '../misuse.ts';

/** Whose quotas a command is about, and every window that is counted for them. */
export interface Subjects {
  readonly keyId: string | undefined;
  readonly organizationId: string;
  readonly allowances: readonly Allowance[];
}

const ofOrganization = (
  organization: Organization,
  keys: readonly KeyRecord[],
  allowances: Allowances,
  now: number,
): Subjects => {
  const shared = allowances.sharedBy(organization);
  const own = keys
    .filter((key) => key.organizationId === organization.id && whyOver(key, now) === undefined)
    .flatMap((key) => allowances.of(key, organization))
    .filter(({ subject }) => shared.every((one) => one.subject !== subject));
  return { keyId: undefined, organizationId: organization.id, allowances: [...shared, ...own] };
};

/**
 * The windows of an organization (those its keys share, and those that good keys have to themselves), or of one key. A name that
 * is both has to be told apart: `organization:acme`, `key:acme`.
 */
export const findSubjects = (issued: IssuedKeys, name: string, allowances: Allowances, now: number): Subjects => {
  const [, kind, rest] = /^(organization|key):(.+)$/.exec(name) ?? [];
  const id = rest ?? name;
  const organization = issued.organizations.find((one) => one.id === id);
  const key = issued.keys.find((one) => one.id === id);
  if (kind === undefined && organization !== undefined && key !== undefined) {
    throw new Misuse(`${id} is both an organization and a key: say organization:${id} or key:${id}.`);
  }
  if (organization !== undefined && kind !== 'key') return ofOrganization(organization, issued.keys, allowances, now);
  if (key !== undefined && kind !== 'organization') {
    const owner = issued.organization(key.organizationId);
    return { keyId: key.id, organizationId: owner.id, allowances: allowances.of(key, owner) };
  }
  throw new Error(
    `There is no ${kind ?? 'organization or key'} ${id}: "artist-gateway organizations list" and "keys list" show those there are.`,
  );
};
