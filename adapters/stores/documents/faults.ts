import type { DocumentFault, FaultEvent } from '../../../src/domain/document-fault.ts';
import { type DocumentIssue, formatIssue } from './parse-result.ts';

/** A fault of one document. */
export const faultOf = (
  event: FaultEvent,
  collection: string,
  document: string,
  issue: DocumentIssue,
): DocumentFault => ({ event, collection, document, reason: formatIssue(issue) });

/** The fault of a document of which parts were left out: it names the first, and counts the others. */
export const partsLeftOut = (
  collection: string,
  document: string,
  leftOut: readonly DocumentIssue[] = [],
): readonly DocumentFault[] => {
  const [first] = leftOut;
  if (first === undefined) return [];
  const fault = faultOf('member left out', collection, document, first);
  return [leftOut.length === 1 ? fault : { ...fault, reason: `${fault.reason} (and ${leftOut.length - 1} more)` }];
};

/** The fault of a collection that was found empty and of which the last copy is kept. */
export const collectionKept = (collection: string): DocumentFault => ({
  event: 'collection empty, serving the last copy',
  collection,
  document: 'all',
  reason: 'no document is stored where some were',
});
