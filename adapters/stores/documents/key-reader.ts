import type { z } from 'zod';
import type { KeyRecord, Organization, UnreadableKey } from '../../../src/domain/caller.ts';
import type { DocumentFault } from '../../../src/domain/document-fault.ts';
import type { KeyRecords } from '../../../src/ports.ts';
import {
  createCollectionReader,
  membersOf,
  type NamedDocument,
  type ReadCollection,
} from './collection-reader.ts';
import { createKeyParser, keyIdentity, parseOrganization } from './key-documents.ts';
import { storedRules } from './stored-rules.ts';

const idOf = (document: unknown): string | undefined => {
  const { _id } = membersOf(document);
  return typeof _id === 'string' ? _id : undefined;
};

const identify = (document: unknown): readonly string[] =>
  [idOf(document)].filter((id) => id !== undefined);

/** The value of a field if it is valid, else `undefined`. */
const readable = <Value>(rule: z.ZodType<Value>, value: unknown): Value | undefined =>
  rule.safeParse(value).data;

const isPresent = (stored: unknown): boolean => (stored ?? undefined) !== undefined;

/** The time of a stored end. The end counts even if its time cannot be read. */
const endOf = (stored: unknown, lastGood: number | undefined): number | undefined =>
  isPresent(stored) ? (readable(storedRules.instant, stored) ?? lastGood ?? 0) : lastGood;

/**
 * Updates the last good version of a key: a revocation, and a readable expiry, does not wait for
 * the rest of the document.
 */
const amendKey = (lastGood: KeyRecord, document: unknown): KeyRecord => {
  const { revoked_at, expires_at } = membersOf(document);
  return {
    ...lastGood,
    revokedAt: endOf(revoked_at, lastGood.revokedAt),
    expiresAt: readable(storedRules.instant, expires_at) ?? lastGood.expiresAt,
  };
};

/** Updates the last good version of an organization with its suspension. */
const amendOrganization = (lastGood: Organization, document: unknown): Organization => ({
  ...lastGood,
  suspendedAt: endOf(membersOf(document)['suspended_at'], lastGood.suspendedAt),
});

/** Both collections as last read. */
interface KeyCollections {
  readonly keys: ReadCollection<KeyRecord>;
  readonly organizations: ReadCollection<Organization>;
}

const isDemoKey = ({ value }: NamedDocument): boolean => 'demo_key' in membersOf(value);

/** The secrets of demo keys are published with the gateway. */
const demoKeyFault = ({ name }: NamedDocument): DocumentFault => ({
  event: 'invalid document ignored',
  collection: 'api_keys',
  document: name(),
  reason: 'demo_key: demo keys open the example catalogue only',
});

/**
 * Creates the reader of keys and organizations. It keeps last good versions, even of a collection
 * that is suddenly empty, and returns which keys cannot be checked (decisions, "Freshness and
 * caching").
 */
export const createKeyReader = (formNames: readonly string[], { acceptsDemoKeys = false } = {}) => {
  const keyOf = ({ id }: { readonly id: string }): string => id;
  const readKeys = createCollectionReader<KeyRecord>({
    collection: 'api_keys',
    read: createKeyParser(formNames),
    identify,
    keyOf,
    amend: amendKey,
    prevails: ({ revokedAt }) => revokedAt !== undefined,
  });
  const readOrganizations = createCollectionReader<Organization>({
    collection: 'organizations',
    read: parseOrganization,
    identify,
    keyOf,
    amend: amendOrganization,
    prevails: ({ suspendedAt }) => suspendedAt !== undefined,
  });
  return async (keys: NamedDocument[], organizations: NamedDocument[]): Promise<KeyCollections> => {
    const refused = acceptsDemoKeys ? [] : keys.filter(isDemoKey);
    const accepted = await readKeys(
      keys.filter((key) => !refused.includes(key)),
      true,
    );
    const faults = [...refused.map(demoKeyFault), ...accepted.faults];
    return {
      organizations: await readOrganizations(organizations, true),
      keys: { ...accepted, faults },
    };
  };
};

/**
 * The records of both collections. Separates keys of a missing organization from keys of an
 * unreadable one.
 */
export const keyRecordsOf = (
  { keys, organizations }: KeyCollections,
  formNames: readonly string[],
): KeyRecords => {
  const members = keyIdentity(formNames);

  const unreadableKey = ({ value }: NamedDocument): UnreadableKey => {
    const { _id, hash, form, organization_id, revoked_at, trial } = membersOf(value);
    return {
      isEnded: isPresent(revoked_at),
      id: readable(members._id, _id),
      hash: readable(members.hash, hash),
      form: readable(members.form, form),
      organizationId: readable(members.organization_id, organization_id),
      trial: readable(members.trial, trial),
    };
  };

  const known = new Set(organizations.models.map(({ id }) => id));
  const unreadableIds = new Set(organizations.unreadable.map(({ value }) => idOf(value)));
  const suspendedIds = new Set(
    organizations.unreadable
      .filter(({ value }) => isPresent(membersOf(value)['suspended_at']))
      .map(({ value }) => idOf(value)),
  );
  const unreadable = keys.unreadable.map(unreadableKey);
  const faults: DocumentFault[] = [...organizations.faults, ...keys.faults];
  for (const { id, hash, form, organizationId, trial, revokedAt } of keys.models) {
    if (known.has(organizationId)) continue;
    // An organization without a readable id may be the missing one.
    if (unreadableIds.has(organizationId) || unreadableIds.has(undefined)) {
      const isEnded = revokedAt !== undefined || suspendedIds.has(organizationId);
      unreadable.push({ id, hash, form, organizationId, trial, isEnded });
      continue;
    }
    const reason = `organization_id: there is no organization ${organizationId}`;
    faults.push({
      event: 'invalid document ignored',
      collection: 'api_keys',
      document: id,
      reason,
    });
  }
  return { keys: keys.models, organizations: organizations.models, unreadable, faults };
};
