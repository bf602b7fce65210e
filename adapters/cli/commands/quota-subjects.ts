import type { Allowance, KeyRecord, Organization } from '../../../src/domain/caller.ts';
import { inactiveReason } from '../../../src/keys/key-policy.ts';
import type { Allowances } from '../../../src/quota/allowances.ts';
import type { KeyRegistry } from '../key-registry.ts';
import { resolveSubject } from '../resolve-subject.ts';

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
    .filter((key) => key.organizationId === organization.id && inactiveReason(key, now) === undefined)
    .flatMap((key) => allowances.of(key, organization))
    .filter(({ subject }) => shared.every((one) => one.subject !== subject));
  return { keyId: undefined, organizationId: organization.id, allowances: [...shared, ...own] };
};

/** The windows of an organization (those its keys share, and those that good keys have to themselves), or of one key. */
export const findSubjects = (issued: KeyRegistry, name: string, allowances: Allowances, now: number): Subjects => {
  const named = resolveSubject(issued, name);
  const { organization } = named;
  if (named.kind === 'organization') return ofOrganization(organization, issued.keys, allowances, now);
  const { key } = named;
  return { keyId: key.id, organizationId: organization.id, allowances: allowances.of(key, organization) };
};
