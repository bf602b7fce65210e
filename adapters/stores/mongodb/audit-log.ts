import type { Db, Document, Filter } from 'mongodb';
import type { AuditRecord } from '../../../src/domain/audit.ts';
import type { AuditLog } from '../../../src/ports.ts';
import type { StoredMembers } from '../documents/key-documents.ts';

const withoutUndefined = (members: StoredMembers): Document =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const membersOf = (value: unknown): StoredMembers | undefined =>
  typeof value === 'object' && value !== null ? { ...value } : undefined;

const toRecord = (document: Document): AuditRecord => ({
  at: new Date(document['at']).getTime(),
  actor: textOf(document['actor']) ?? '',
  action: textOf(document['action']) ?? '',
  reason: textOf(document['reason']),
  keyId: textOf(document['key_id']),
  organizationId: textOf(document['organization_id']),
  before: membersOf(document['before']),
  after: membersOf(document['after']),
});

/** The audit log in the collection `key_log`. */
export const createMongoAuditLog = (db: Db): AuditLog => {
  const collection = db.collection('key_log');
  return {
    async append({ at, actor, action, reason, keyId, organizationId, before, after }) {
      const document = { at: new Date(at), actor, action, key_id: keyId, organization_id: organizationId, reason };
      await collection.insertOne(withoutUndefined({ ...document, before, after }));
    },
    async read({ keyId, organizationId, limit }) {
      const filter: Filter<Document> = {
        ...(keyId !== undefined && { key_id: keyId }),
        ...(organizationId !== undefined && { organization_id: organizationId }),
      };
      const newest = await collection.find(filter).sort({ at: -1, _id: -1 }).limit(limit).toArray();
      return newest.reverse().map(toRecord);
    },
  };
};
