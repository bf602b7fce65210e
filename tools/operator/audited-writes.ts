import { isDeepStrictEqual } from 'node:util';
import type { DocumentStore } from '../../adapters/stores/database.ts';
import type { Parsed } from '../../adapters/stores/documents/parse-result.ts';
import type { StoredDocument } from '../../adapters/stores/documents/stored-document.ts';
import type { AuditEntry, AuditedChange } from './audit.ts';
import type { AuditLog } from './audit-log.ts';

/** A collection, the names of its fields, and how to read them from a document. */
export interface Kind {
  readonly collection: string;
  readonly names: readonly string[];
  readonly read: (document: StoredDocument) => Parsed<StoredDocument>;
}

/** A change was not written, because another change came before it. */
export class ConflictError extends Error {}

type Change = AuditEntry & AuditedChange;

const differingNames = (before: StoredDocument, after: StoredDocument): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  );

const pick = (members: StoredDocument, names: readonly string[]): StoredDocument =>
  Object.fromEntries(names.map((name) => [name, members[name]]));

const withoutAbsent = (members: StoredDocument): StoredDocument =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

/**
 * Changes single documents, each with its audit record, which is written first: without
 * transactions a crash can leave a record whose change did not happen, but never a change without a
 * record. A change that comes after another one is not written, and a second record says so.
 */
export const createAuditedWrites = (documents: DocumentStore, { append }: AuditLog) => {
  const find = async (collection: string, id: string): Promise<StoredDocument | undefined> => {
    for await (const document of documents.find(collection, { where: { _id: [id] } }))
      if (document['_id'] === id) return document;
    return undefined;
  };

  /** Writes as `attempt` does. Rejects with the failure when that resolves to `false`. */
  const write = async (
    change: Change,
    failure: Error,
    attempt: () => Promise<boolean>,
  ): Promise<void> => {
    await append(change);
    if (await attempt()) return;
    await append({
      ...change,
      before: undefined,
      after: undefined,
      reason: 'not written: another change came before it',
    });
    throw failure;
  };

  const conflictOn = (id: string) =>
    new ConflictError(
      `${id} was changed or removed by another command: this change was not written. Run it again.`,
    );

  /** Sets members of a document of which others (`before`) are still as they were read. */
  const update = (
    collection: string,
    id: string,
    change: Change,
    after: StoredDocument,
    before: StoredDocument,
  ) =>
    write(change, conflictOn(id), async () => {
      const updated = await documents.update(collection, [{ _id: id, document: after, before }]);
      return updated > 0;
    });

  return {
    find,
    update,
    async insert(
      collection: string,
      id: string,
      members: StoredDocument,
      change: Change,
    ): Promise<void> {
      const taken = new Error(`${id} is already taken: nothing was changed.`);
      if ((await find(collection, id)) !== undefined) throw taken;
      await write(change, taken, () => documents.insert(collection, { _id: id, ...members }));
    },
    /**
     * Writes the members that differ; the others of the document stay. Resolves to whether any
     * does.
     */
    async replace(
      { collection, names, read }: Kind,
      id: string,
      [before, after]: readonly [StoredDocument, StoredDocument],
      change: Change,
    ): Promise<boolean> {
      const differing = differingNames(before, after);
      if (differing.length === 0) return false;
      const stored = (await find(collection, id)) ?? {};
      const found = read(stored);
      if (!('model' in found && isDeepStrictEqual(found.model, before))) throw conflictOn(id);
      const [from, to] = [pick(before, differing), pick(after, differing)];
      const audited = { ...change, before: withoutAbsent(from), after: withoutAbsent(to) };
      await update(collection, id, audited, to, pick(stored, names));
      return true;
    },
  };
};
