import { isDeepStrictEqual } from 'node:util';
import type { Collection, Db } from 'mongodb';
import type { KeyRecord, Organization } from '../../../src/domain/caller.ts';
import { keyMembers, organizationMembers, type StoredMembers } from '../documents/key-documents.ts';
import { type Affected, type AuditEntry, appendToAuditLog } from './audit-log.ts';
import { isDuplicate } from './failure.ts';

interface Stored {
  readonly _id: string;
}

/** Writes keys and organizations. Every change is recorded in the key log with the deed that it belongs to. */
export interface KeyStore {
  addKey(key: KeyRecord, deed: AuditEntry): Promise<void>;
  /** Resolves to whether anything differed. */
  changeKey(before: KeyRecord, after: KeyRecord, deed: AuditEntry): Promise<boolean>;
  addOrganization(organization: Organization, deed: AuditEntry): Promise<void>;
  /** Resolves to whether anything differed. */
  changeOrganization(before: Organization, after: Organization, deed: AuditEntry): Promise<boolean>;
  /** Records a deed that changed neither. */
  record(deed: AuditEntry, affected: Affected): Promise<void>;
}

/** The members in which two documents differ. */
const differing = (before: StoredMembers, after: StoredMembers): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  );

const only = (members: StoredMembers, names: readonly string[]): StoredMembers =>
  Object.fromEntries(names.filter((name) => name in members).map((name) => [name, members[name]]));

const insert = async (collection: Collection<Stored>, id: string, members: StoredMembers): Promise<void> => {
  try {
    await collection.insertOne({ _id: id, ...members });
  } catch (error) {
    if (isDuplicate(error)) throw new Error(`${id} is already taken: nothing was changed.`, { cause: error });
    throw error;
  }
};

/** Sets and removes members; whatever else the document holds stays. */
const update = async (
  collection: Collection<Stored>,
  id: string,
  after: StoredMembers,
  names: readonly string[],
): Promise<void> => {
  const gone = names.filter((name) => !(name in after));
  const set = only(after, names);
  const { matchedCount } = await collection.updateOne(
    { _id: id },
    {
      ...(Object.keys(set).length > 0 && { $set: set }),
      ...(gone.length > 0 && { $unset: Object.fromEntries(gone.map((name) => [name, ''])) }),
    },
  );
  if (matchedCount === 0) throw new Error(`${id} was removed meanwhile: nothing was changed.`);
};

/**
 * The writing side of keys and organizations in MongoDB. The log is written first: without transactions a crash may leave
 * an entry whose change did not happen, which anyone can see, but never a change that nobody accounts for.
 */
export const createKeyStore = (db: Db): KeyStore => {
  const keys = db.collection<Stored>('api_keys');
  const organizations = db.collection<Stored>('organizations');

  const change = async (
    collection: Collection<Stored>,
    id: string,
    [before, after]: readonly [StoredMembers, StoredMembers],
    deed: AuditEntry & Affected,
  ): Promise<boolean> => {
    const names = differing(before, after);
    if (names.length === 0) return false;
    await appendToAuditLog(db, { ...deed, before: only(before, names), after: only(after, names) });
    await update(collection, id, after, names);
    return true;
  };

  return {
    async addKey(key, deed) {
      const after = keyMembers(key);
      await appendToAuditLog(db, { ...deed, keyId: key.id, organizationId: key.organizationId, after });
      await insert(keys, key.id, { hash: key.hash, ...after });
    },
    changeKey: (before, after, deed) =>
      change(keys, before.id, [keyMembers(before), keyMembers(after)], {
        ...deed,
        keyId: before.id,
        organizationId: before.organizationId,
      }),
    async addOrganization(organization, deed) {
      const after = organizationMembers(organization);
      await appendToAuditLog(db, { ...deed, organizationId: organization.id, after });
      await insert(organizations, organization.id, after);
    },
    changeOrganization: (before, after, deed) =>
      change(organizations, before.id, [organizationMembers(before), organizationMembers(after)], {
        ...deed,
        organizationId: before.id,
      }),
    record: (deed, affected) => appendToAuditLog(db, { ...deed, ...affected }),
  };
};
