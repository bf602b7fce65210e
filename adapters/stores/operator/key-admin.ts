import { isDeepStrictEqual } from 'node:util';
import type { AuditEntry, AuditedChange } from '../../../src/domain/audit.ts';
import type { AuditLog, KeyAdmin } from '../../../src/ports.ts';
import type { DocumentStore } from '../database.ts';
import { keyMembers, organizationMembers } from '../documents/key-documents.ts';
import type { StoredDocument } from '../documents/stored-document.ts';

/** The names of the members in which two documents differ. */
const differingNames = (before: StoredDocument, after: StoredDocument): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  );

const pick = (members: StoredDocument, names: readonly string[]): StoredDocument =>
  Object.fromEntries(names.filter((name) => name in members).map((name) => [name, members[name]]));

/**
 * Writes the collections `api_keys` and `organizations`. The audit record is written first: without transactions a crash may
 * leave a record whose change did not happen, but never a change without a record.
 */
export const createKeyAdmin = (documents: DocumentStore, { append }: AuditLog): KeyAdmin => {
  const insert = async (collection: string, id: string, members: StoredDocument): Promise<void> => {
    if (!(await documents.insert(collection, { _id: id, ...members })))
      throw new Error(`${id} is already taken: nothing was changed.`);
  };

  /** Writes the members that differ; the others of the document stay. */
  const replace = async (
    collection: string,
    id: string,
    [before, after]: readonly [StoredDocument, StoredDocument],
    record: AuditEntry & AuditedChange,
  ): Promise<boolean> => {
    const names = differingNames(before, after);
    if (names.length === 0) return false;
    await append({ ...record, before: pick(before, names), after: pick(after, names) });
    const document = Object.fromEntries(names.map((name) => [name, after[name]]));
    if ((await documents.update(collection, [{ _id: id, document }])) === 0)
      throw new Error(`${id} was removed meanwhile: nothing was changed.`);
    return true;
  };

  return {
    async insertKey(key, entry) {
      const after = keyMembers(key);
      await append({ ...entry, keyId: key.id, organizationId: key.organizationId, after });
      await insert('api_keys', key.id, { hash: key.hash, ...after });
    },
    replaceKey: (before, after, entry) =>
      replace('api_keys', before.id, [keyMembers(before), keyMembers(after)], {
        ...entry,
        keyId: before.id,
        organizationId: before.organizationId,
      }),
    async insertOrganization(organization, entry) {
      const after = organizationMembers(organization);
      await append({ ...entry, organizationId: organization.id, after });
      await insert('organizations', organization.id, after);
    },
    replaceOrganization: (before, after, entry) =>
      replace('organizations', before.id, [organizationMembers(before), organizationMembers(after)], {
        ...entry,
        organizationId: before.id,
      }),
  };
};
