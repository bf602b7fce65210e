import type { Allowance, KeyRecord, Organization } from '../../caller.ts';
import { whyOver } from '../../key-changes.ts';
import type { Allowances } from '../allowances.ts';
import type { IssuedKeys } from '../issued-keys.ts';
import { findNamed } from '../named.ts';

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

/** The windows of an organization (those its keys share, and those that good keys have to themselves), or of one key. */
export const findSubjects = (issued: IssuedKeys, name: string, allowances: Allowances, now: number): Subjects => {
  const named = findNamed(issued, name);
  const { organization } = named;
  if (named.kind === 'organization') return ofOrganization(organization, issued.keys, allowances, now);
  const { key } = named;
  return { keyId: key.id, organizationId: organization.id, allowances: allowances.of(key, organization) };
};
