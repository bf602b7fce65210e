import type { Replacement, StoredDocument } from '../mongodb/import.ts';
import { type ImportCounts, noCounts } from './import-counts.ts';
import { equalDocuments, omit, toStored } from './stored-document.ts';

/** What has to be written so that labels are stored as the input has them. */
export interface LabelPlan {
  readonly added: readonly StoredDocument[];
  readonly replaced: readonly Replacement[];
  readonly tally: ImportCounts;
}

/** Compares labels, which are told apart by their names, with those stored. */
export const planLabels = (input: readonly StoredDocument[], stored: readonly StoredDocument[]): LabelPlan => {
  const known = new Map(stored.map((label) => [label['name'], label]));
  const added: StoredDocument[] = [];
  const replaced: Replacement[] = [];
  for (const file of input) {
    const document = toStored(file);
    const before = known.get(document['name']);
    if (before === undefined) added.push(document);
    else if (!equalDocuments(document, before, ['_id'])) {
      replaced.push({ _id: before['_id'], document: omit(document, ['_id']) });
    }
  }
  const unchanged = input.length - added.length - replaced.length;
  return { added, replaced, tally: { ...noCounts, created: added.length, changed: replaced.length, unchanged } };
};
