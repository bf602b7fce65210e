import type { StoredDocument } from '../stores/documents/stored-document.ts';
import type { Replacement } from '../stores/mongodb/import.ts';
import { equalDocuments, omit, toStored } from './stored-document.ts';

/** Numbers of documents of a collection, by what an import does to them. */
export interface ImportCounts {
  readonly created: number;
  readonly changed: number;
  /** Artists of which only the instant of change is written, because a series of theirs changed. */
  readonly touched: number;
  readonly unchanged: number;
  readonly removed: number;
}

export const noCounts: ImportCounts = { created: 0, changed: 0, touched: 0, unchanged: 0, removed: 0 };

export const sumCounts = (left: ImportCounts, right: ImportCounts): ImportCounts => ({
  created: left.created + right.created,
  changed: left.changed + right.changed,
  touched: left.touched + right.touched,
  unchanged: left.unchanged + right.unchanged,
  removed: left.removed + right.removed,
});

/** The documents of one collection to write. */
export interface DocumentChanges {
  readonly added: readonly StoredDocument[];
  readonly replaced: readonly Replacement[];
  readonly counts: ImportCounts;
}

/** Compares documents of the input with the stored documents that have the same key. */
export const planDocuments = (
  input: readonly StoredDocument[],
  stored: readonly StoredDocument[],
  keyOf: (document: StoredDocument) => unknown,
): DocumentChanges => {
  const storedByKey = new Map(stored.map((document) => [keyOf(document), document]));
  const added: StoredDocument[] = [];
  const replaced: Replacement[] = [];
  for (const value of input) {
    const document = toStored(value);
    const before = storedByKey.get(keyOf(document));
    if (before === undefined) added.push(document);
    else if (!equalDocuments(document, before, ['_id'])) {
      replaced.push({ _id: before['_id'], document: omit(document, ['_id']) });
    }
  }
  const unchanged = input.length - added.length - replaced.length;
  return { added, replaced, counts: { ...noCounts, created: added.length, changed: replaced.length, unchanged } };
};
