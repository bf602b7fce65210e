import type { DocumentStore } from '../../adapters/stores/database.ts';
import type { StoredDocument } from '../../adapters/stores/documents/stored-document.ts';
import type { AuditQuery, AuditRecord } from './audit.ts';

export interface AuditLog {
  append(record: AuditRecord): Promise<void>;
  read(query: AuditQuery): Promise<readonly AuditRecord[]>;
}

/**
 * The records of changes that were written, of those about one key or organization, oldest first: a
 * record without members says that the change before it was not written.
 */
export const writtenChanges = <
  Change extends { readonly before?: unknown; readonly after?: unknown },
>(
  records: readonly Change[],
): readonly Change[] => {
  const written: Change[] = [];
  for (const record of records) {
    if (record.before === undefined && record.after === undefined) written.pop();
    else written.push(record);
  }
  return written;
};

/** A stored text; `undefined` for anything else. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

const auditedMembers = (value: unknown): StoredDocument | undefined =>
  typeof value === 'object' && value !== null ? { ...value } : undefined;

const toRecord = (document: StoredDocument): AuditRecord => ({
  at: document['at'] instanceof Date ? document['at'].getTime() : Number.NaN,
  actor: textOf(document['actor']) ?? '',
  action: textOf(document['action']) ?? '',
  reason: textOf(document['reason']),
  keyId: textOf(document['key_id']),
  organizationId: textOf(document['organization_id']),
  before: auditedMembers(document['before']),
  after: auditedMembers(document['after']),
});

/** The audit log in the collection `key_log`. */
export const createAuditLog = (documents: DocumentStore): AuditLog => ({
  async append({ at, actor, action, reason, keyId, organizationId, before, after }) {
    const document = {
      at: new Date(at),
      actor,
      action,
      key_id: keyId,
      organization_id: organizationId,
      reason,
    };
    const members = Object.entries({ ...document, before, after }).filter(
      ([, value]) => value !== undefined,
    );
    await documents.insert('key_log', Object.fromEntries(members));
  },
  async read({ keyId, organizationId, limit }) {
    const where = {
      ...(keyId !== undefined && { key_id: [keyId] }),
      ...(organizationId !== undefined && { organization_id: [organizationId] }),
    };
    const records: AuditRecord[] = [];
    const newest = documents.find('key_log', { where, order: ['at', '_id'], last: limit });
    for await (const document of newest) records.push(toRecord(document));
    return records;
  },
});
