import type { DocumentFault, FaultEvent } from '../../../src/domain/document-fault.ts';
import { type DocumentIssue, formatIssue, type Parsed } from './parse-result.ts';

export const faultOf = (
  event: FaultEvent,
  collection: string,
  document: string,
  issue: DocumentIssue,
): DocumentFault => ({ event, collection, document, reason: formatIssue(issue) });

/**
 * The fault of a parsed document: names the first part left out, and counts the others.
 *
 * @param hasLastGood true if an unreadable document's last good version is served
 */
export const parseFaults = (
  collection: string,
  document: () => string,
  parsed: Parsed<unknown>,
  hasLastGood = false,
): readonly DocumentFault[] => {
  if ('issue' in parsed) {
    const event = hasLastGood
      ? 'invalid document, serving previous version'
      : 'invalid document ignored';
    return [faultOf(event, collection, document(), parsed.issue)];
  }
  const [first, ...others] = parsed.leftOut ?? [];
  if (first === undefined) return [];
  const fault = faultOf('invalid field ignored', collection, document(), first);
  return [
    others.length === 0
      ? fault
      : { ...fault, reason: `${fault.reason} (and ${others.length} more)` },
  ];
};

/** The fault of a collection that was found empty; its last copy is kept. */
export const collectionKept = (collection: string): DocumentFault => ({
  event: 'collection empty, serving previous copy',
  collection,
  document: 'all',
  reason: 'no document is stored where some were',
});
