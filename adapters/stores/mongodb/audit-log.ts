import type { Db, Document, Filter } from 'mongodb';
import type { StoredMembers } from '../documents/key-documents.ts';

/** Who does what, when and why. */
export interface AuditEntry {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly actor: string;
  /** The command that does it. */
  readonly action: string;
  readonly reason: string | undefined;
}

/** What a deed was done to, and the members it changed. */
export interface Affected {
  readonly keyId?: string | undefined;
  readonly organizationId?: string | undefined;
  readonly before?: StoredMembers | undefined;
  readonly after?: StoredMembers | undefined;
}

export type LogEntry = AuditEntry & Affected;

export interface LogQuestion {
  readonly keyId?: string | undefined;
  readonly organizationId?: string | undefined;
  /** The newest so many. */
  readonly limit: number;
}

const withoutUnknown = (members: StoredMembers): Document =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

/** Adds an entry to the collection `key_log`, which is only ever added to. */
export const appendToAuditLog = async (db: Db, entry: LogEntry): Promise<void> => {
  const { at, actor, action, reason, keyId, organizationId, before, after } = entry;
  const document = { at: new Date(at), actor, action, key_id: keyId, organization_id: organizationId, reason };
  await db.collection('key_log').insertOne(withoutUnknown({ ...document, before, after }));
};

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const membersOf = (value: unknown): StoredMembers | undefined =>
  typeof value === 'object' && value !== null ? { ...value } : undefined;

const readEntry = (document: Document): LogEntry => ({
  at: new Date(document['at']).getTime(),
  actor: textOf(document['actor']) ?? '',
  action: textOf(document['action']) ?? '',
  reason: textOf(document['reason']),
  keyId: textOf(document['key_id']),
  organizationId: textOf(document['organization_id']),
  before: membersOf(document['before']),
  after: membersOf(document['after']),
});

/** The newest entries about a key or an organization, or about all of them, oldest first. */
export const readAuditLog = async (db: Db, { keyId, organizationId, limit }: LogQuestion): Promise<LogEntry[]> => {
  const filter: Filter<Document> = {
    ...(keyId !== undefined && { key_id: keyId }),
    ...(organizationId !== undefined && { organization_id: organizationId }),
  };
  const newest = await db.collection('key_log').find(filter).sort({ at: -1, _id: -1 }).limit(limit).toArray();
  return newest.reverse().map(readEntry);
};
