import type { DocumentStore } from '../../adapters/stores/database.ts';
import type { StoredDocument } from '../../adapters/stores/documents/stored-document.ts';

/** Numbers of documents, days and members, by their level; levels without any are left out. */
type Numbers = Readonly<Record<string, number>>;

interface ImportRecord {
  readonly run: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly actor: string;
  readonly files: readonly string[];
  readonly added: Numbers;
  readonly changed: Numbers;
  readonly removed: Numbers;
}

/** The audit records of imports, in the collection `import_log`. */
export const createImportLog = (documents: DocumentStore) => ({
  async append({ run, at, ...record }: ImportRecord): Promise<void> {
    await documents.insert('import_log', { _id: run, at: new Date(at), ...record });
  },
  async stop(run: string, stopped: string): Promise<void> {
    await documents.update('import_log', [{ _id: run, document: { stopped } }]);
  },
  /** The newest records, oldest first; with `run` the record of that import. */
  async read({ run, limit }: { readonly run?: unknown; readonly limit: number }) {
    const where = run === undefined ? {} : { _id: [run] };
    const records: StoredDocument[] = [];
    const newest = documents.find('import_log', { where, order: ['at', '_id'], last: limit });
    for await (const { _id, ...record } of newest) records.push({ run: _id, ...record });
    return records;
  },
});
