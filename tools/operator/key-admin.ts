import type { DocumentStore } from '../../adapters/stores/database.ts';
import {
  createKeyParser,
  keyMemberNames,
  keyMembers,
  organizationMemberNames,
  organizationMembers,
  parseOrganization,
} from '../../adapters/stores/documents/key-documents.ts';
import { mapParsed } from '../../adapters/stores/documents/parse-result.ts';
import type { KeyRecord, Organization } from '../../src/domain/caller.ts';
import { formatInstant } from '../../src/domain/quantities.ts';
import type { AuditEntry, AuditedChange, StoredAccess } from './audit.ts';
import { type AuditLog, textOf } from './audit-log.ts';
import { ConflictError, createAuditedWrites, type Kind } from './audited-writes.ts';

/**
 * Writes keys and organizations, each change with its audit record. A replacement writes the
 * members that differ, and resolves to whether any did. Rejects with one line when an inserted id
 * is taken, or a document is not what the change was planned on.
 */
export interface KeyAdmin {
  insertKey(key: KeyRecord, entry: AuditEntry): Promise<void>;
  replaceKey(before: KeyRecord, after: KeyRecord, entry: AuditEntry): Promise<boolean>;
  /**
   * Inserts the successor of a key, then replaces the key. If the key was changed by another
   * command, revokes the unprinted successor and rejects.
   */
  rotateKey(
    before: KeyRecord,
    rotated: { readonly previous: KeyRecord; readonly successor: KeyRecord },
    entry: AuditEntry,
  ): Promise<void>;
  insertOrganization(organization: Organization, entry: AuditEntry): Promise<void>;
  replaceOrganization(
    before: Organization,
    after: Organization,
    entry: AuditEntry,
  ): Promise<boolean>;
  keyAccess(id: string): Promise<StoredAccess | undefined>;
  organizationAccess(id: string): Promise<StoredAccess | undefined>;
}

/** A stored end counts by its presence, also when its instant cannot be read. */
const describeEnd = (stored: unknown): string | undefined => {
  if ((stored ?? undefined) === undefined) return undefined;
  const isInstant = stored instanceof Date || typeof stored === 'string';
  return (
    formatInstant(isInstant ? new Date(stored).getTime() : Number.NaN) ??
    'a time that cannot be read'
  );
};

const organizations: Kind = {
  collection: 'organizations',
  names: organizationMemberNames,
  read: (document) => mapParsed(parseOrganization(document), organizationMembers),
};

/** Writes the collections `api_keys` and `organizations`. */
export const createKeyAdmin = (
  documents: DocumentStore,
  log: AuditLog,
  formNames: readonly string[],
): KeyAdmin => {
  const { find, insert, replace, update } = createAuditedWrites(documents, log);
  const parseKey = createKeyParser(formNames);
  const keys: Kind = {
    collection: 'api_keys',
    names: keyMemberNames,
    read: (document) => mapParsed(parseKey(document), keyMembers),
  };

  /**
   * What a document grants until it has the member that ends it; only that one is written, and must
   * be as it was read.
   */
  const access = async (
    collection: string,
    id: string,
    [nameMember, endMember]: readonly [string, string],
    about: (organizationId: string | undefined) => AuditedChange,
  ): Promise<StoredAccess | undefined> => {
    const stored = await find(collection, id);
    if (stored === undefined) return undefined;
    const { [nameMember]: name, [endMember]: end, organization_id } = stored;
    const of = about(textOf(organization_id));
    return {
      name: textOf(name),
      organizationId: of.organizationId,
      ended: describeEnd(end),
      end(entry) {
        const after = { [endMember]: new Date(entry.at) };
        return update(collection, id, { ...entry, ...of, before: {}, after }, after, {
          [endMember]: end,
        });
      },
    };
  };

  const insertKey: KeyAdmin['insertKey'] = async (key, entry) => {
    const after = keyMembers(key);
    const change = { ...entry, keyId: key.id, organizationId: key.organizationId, after };
    await insert('api_keys', key.id, { hash: key.hash, ...after }, change);
  };

  const replaceKey: KeyAdmin['replaceKey'] = (before, after, entry) => {
    const change = { ...entry, keyId: before.id, organizationId: before.organizationId };
    return replace(keys, before.id, [keyMembers(before), keyMembers(after)], change);
  };

  const keyAccess: KeyAdmin['keyAccess'] = (id) =>
    access('api_keys', id, ['partner', 'revoked_at'], (organizationId) => ({
      keyId: id,
      organizationId,
    }));

  return {
    insertKey,
    replaceKey,
    keyAccess,
    async rotateKey(before, { previous, successor }, entry) {
      const { id } = before;
      const reason = `successor of ${id}${entry.reason === undefined ? '' : `: ${entry.reason}`}`;
      await insertKey(successor, { ...entry, action: 'keys issue', reason });
      try {
        await replaceKey(before, previous, entry);
      } catch (error) {
        // Not after another failure: the database may have replaced the key without saying so.
        if (error instanceof ConflictError)
          await (await keyAccess(successor.id))?.end({
            ...entry,
            reason: `${id} was changed by another command, and not rotated`,
          });
        throw error;
      }
    },
    async insertOrganization({ id, ...members }, entry) {
      const after = organizationMembers({ id, ...members });
      await insert('organizations', id, after, { ...entry, organizationId: id, after });
    },
    replaceOrganization(before, after, entry) {
      const members = [organizationMembers(before), organizationMembers(after)] as const;
      return replace(organizations, before.id, members, { ...entry, organizationId: before.id });
    },
    organizationAccess: (id) =>
      access('organizations', id, ['name', 'suspended_at'], () => ({ organizationId: id })),
  };
};
