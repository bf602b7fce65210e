import type { KeyRecord, Organization } from '../../src/domain/caller.ts';
import type { KeyRegistry } from './key-registry.ts';
import { UsageError } from './terminal/usage-error.ts';

/** What the name on a command line stands for. */
export type Subject =
  | { readonly kind: 'organization'; readonly organization: Organization }
  | { readonly kind: 'key'; readonly key: KeyRecord; readonly organization: Organization };

/**
 * The organization or the key with this id. A name that is both has to be told apart: `organization:acme`, `key:acme`. Throws
 * when there is neither.
 */
export const resolveSubject = (issued: KeyRegistry, name: string): Subject => {
  const [, kind, rest] = /^(organization|key):(.+)$/.exec(name) ?? [];
  const id = rest ?? name;
  const organization = issued.organizations.find((one) => one.id === id);
  const key = issued.keys.find((one) => one.id === id);
  if (kind === undefined && organization !== undefined && key !== undefined) {
    throw new UsageError(`${id} is both an organization and a key: say organization:${id} or key:${id}.`);
  }
  if (organization !== undefined && kind !== 'key') return { kind: 'organization', organization };
  if (key !== undefined && kind !== 'organization') {
    return { kind: 'key', key, organization: issued.organization(key.organizationId) };
  }
  throw new Error(
    `There is no ${kind ?? 'organization or key'} ${id}: "artist-gateway organizations list" and "keys list" show those there are.`,
  );
};
