import { isDeepStrictEqual } from 'node:util';
import type { Collection, Db } from 'mongodb';
import type { AuditEntry, AuditedChange } from '../../../src/domain/audit.ts';
import type { KeyAdmin } from '../../../src/ports.ts';
import { keyMembers, organizationMembers, type StoredMembers } from '../documents/key-documents.ts';
import { createMongoAuditLog } from './audit-log.ts';
import { isDuplicate } from './errors.ts';

interface Stored {
  readonly _id: string;
}

/** The names of the members in which two documents differ. */
const differingNames = (before: StoredMembers, after: StoredMembers): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  );

const pick = (members: StoredMembers, names: readonly string[]): StoredMembers =>
  Object.fromEntries(names.filter((name) => name in members).map((name) => [name, members[name]]));

const insert = async (collection: Collection<Stored>, id: string, members: StoredMembers): Promise<void> => {
  try {
    await collection.insertOne({ _id: id, ...members });
  } catch (error) {
    if (isDuplicate(error)) throw new Error(`${id} is already taken: nothing was changed.`, { cause: error });
    throw error;
  }
};

/** Sets and removes the named members; the other members of the document stay. */
const update = async (
  collection: Collection<Stored>,
  id: string,
  after: StoredMembers,
  names: readonly string[],
): Promise<void> => {
  const removed = names.filter((name) => !(name in after));
  const set = pick(after, names);
  const { matchedCount } = await collection.updateOne(
    { _id: id },
    {
      ...(Object.keys(set).length > 0 && { $set: set }),
      ...(removed.length > 0 && { $unset: Object.fromEntries(removed.map((name) => [name, ''])) }),
    },
  );
  if (matchedCount === 0) throw new Error(`${id} was removed meanwhile: nothing was changed.`);
};

/**
 * Writes the collections `api_keys` and `organizations`. The audit record is written first: without transactions a crash may
 * leave a record whose change did not happen, but never a change without a record.
 */
export const createMongoKeyAdmin = (db: Db): KeyAdmin => {
  const keys = db.collection<Stored>('api_keys');
  const organizations = db.collection<Stored>('organizations');
  const { append } = createMongoAuditLog(db);

  const replace = async (
    collection: Collection<Stored>,
    id: string,
    [before, after]: readonly [StoredMembers, StoredMembers],
    record: AuditEntry & AuditedChange,
  ): Promise<boolean> => {
    const names = differingNames(before, after);
    if (names.length === 0) return false;
    await append({ ...record, before: pick(before, names), after: pick(after, names) });
    await update(collection, id, after, names);
    return true;
  };

  return {
    async insertKey(key, entry) {
      const after = keyMembers(key);
      await append({ ...entry, keyId: key.id, organizationId: key.organizationId, after });
      await insert(keys, key.id, { hash: key.hash, ...after });
    },
    replaceKey: (before, after, entry) =>
      replace(keys, before.id, [keyMembers(before), keyMembers(after)], {
        ...entry,
        keyId: before.id,
        organizationId: before.organizationId,
      }),
    async insertOrganization(organization, entry) {
      const after = organizationMembers(organization);
      await append({ ...entry, organizationId: organization.id, after });
      await insert(organizations, organization.id, after);
    },
    replaceOrganization: (before, after, entry) =>
      replace(organizations, before.id, [organizationMembers(before), organizationMembers(after)], {
        ...entry,
        organizationId: before.id,
      }),
  };
};
