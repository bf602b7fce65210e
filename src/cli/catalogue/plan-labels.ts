import type { Replacement, StoredDocument } from '../../../adapters/mongodb/import.ts';
import { saysTheSame, toStored, without } from './stored-document.ts';
import { emptyTally, type Tally } from './tally.ts';

/** What has to be written so that labels are stored as the input has them. */
export interface LabelPlan {
  readonly added: readonly StoredDocument[];
  readonly replaced: readonly Replacement[];
  readonly tally: Tally;
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
    else if (!saysTheSame(document, before, ['_id'])) {
      replaced.push({ _id: before['_id'], document: without(document, ['_id']) });
    }
  }
  const unchanged = input.length - added.length - replaced.length;
  return { added, replaced, tally: { ...emptyTally, created: added.length, changed: replaced.length, unchanged } };
};
