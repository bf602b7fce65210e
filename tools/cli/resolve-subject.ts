import type { KeyRecord, Organization } from '../../src/domain/caller.ts';
import type { KeyRecords } from '../../src/ports.ts';
import { UsageError } from './terminal/messages.ts';

const collections = { key: 'api_keys', organization: 'organizations' } as const;

type SubjectKind = keyof typeof collections;
const subjectKinds = ['organization', 'key'] as const;

export interface UnreadableOrganization {
  readonly id: string;
  /** `undefined` when it is no text. */
  readonly name: string | undefined;
  /** When it was suspended, in words; `undefined` while it is not. */
  readonly ended: string | undefined;
}

export const unreadableOrganizationIds = ({
  organizations,
  faults = [],
}: KeyRecords): readonly string[] =>
  faults
    .filter(
      ({ event, collection, document }) =>
        event === 'invalid document ignored' &&
        collection === collections.organization &&
        organizations.every(({ id }) => id !== document),
    )
    .map(({ document }) => document);

/** All keys and organizations that a gateway would load, and how they are found. */
export const createKeyRegistry = (
  { keys, organizations, unreadable = [], faults = [] }: KeyRecords,
  unreadableOrganizations: readonly UnreadableOrganization[] = [],
) => {
  const refuseUnreadable = (id: string, kinds: readonly SubjectKind[]): void => {
    const fault = faults.find(
      (one) => one.document === id && kinds.some((kind) => collections[kind] === one.collection),
    );
    if (fault === undefined) return;
    const [isEnded, ended, end] =
      fault.collection === collections.key
        ? [unreadable.some((one) => one.id === id && one.isEnded), 'revoked', 'keys revoke']
        : [
            unreadableOrganizations.some((one) => one.id === id && one.ended !== undefined),
            'suspended',
            'organizations suspend',
          ];
    if (isEnded)
      throw new Error(
        `${id} is ${ended}, and cannot be read (${fault.reason}): correct its document.`,
      );
    throw new Error(
      `${id} cannot be read (${fault.reason}): correct its document, or end it with "artist-gateway ${end} ${id}".`,
    );
  };
  const organization = (id: string): Organization => {
    const found = organizations.find((one) => one.id === id);
    if (found !== undefined) return found;
    refuseUnreadable(id, ['organization']);
    throw new Error(
      `There is no organization ${id}: create it with "artist-gateway organizations set ${id} --name …".`,
    );
  };
  return {
    keys,
    organizations,
    unreadable,
    unreadableOrganizations,
    refuseUnreadable,
    organization,
    ownerOf: ({ organizationId }: KeyRecord) =>
      organizations.find(({ id }) => id === organizationId),
    key(id: string): KeyRecord {
      const key = keys.find((one) => one.id === id);
      if (key !== undefined) return key;
      refuseUnreadable(id, ['key']);
      throw new Error(`There is no key ${id}: "artist-gateway keys list" lists the existing ones.`);
    },
    keysOf(organizationId: string | undefined): readonly KeyRecord[] {
      if (organizationId === undefined) return keys;
      const { id } = organization(organizationId);
      return keys.filter((key) => key.organizationId === id);
    },
  };
};

export type KeyRegistry = ReturnType<typeof createKeyRegistry>;

export type Subject =
  | { readonly kind: 'organization'; readonly organization: Organization }
  | { readonly kind: 'key'; readonly key: KeyRecord; readonly organization: Organization };

/**
 * The organization or the key with this id. `organization:acme` and `key:acme` distinguish an id
 * that both have. Throws when there is neither, and a `UsageError` when there are both.
 */
export const resolveSubject = (registry: KeyRegistry, name: string): Subject => {
  const kind = subjectKinds.find(
    (one) => name.startsWith(`${one}:`) && name.length > one.length + 1,
  );
  const id = kind === undefined ? name : name.slice(kind.length + 1);
  const organization = registry.organizations.find((one) => one.id === id);
  const key = registry.keys.find((one) => one.id === id);
  if (kind === undefined && organization !== undefined && key !== undefined) {
    throw new UsageError(
      `${id} is both an organization and a key: use organization:${id} or key:${id}.`,
    );
  }
  if (organization !== undefined && kind !== 'key') return { kind: 'organization', organization };
  if (key !== undefined && kind !== 'organization') {
    return { kind: 'key', key, organization: registry.organization(key.organizationId) };
  }
  registry.refuseUnreadable(id, kind === undefined ? subjectKinds : [kind]);
  throw new Error(
    `There is no ${kind ?? 'organization or key'} ${id}: "artist-gateway organizations list" and "keys list" list the existing ones.`,
  );
};
