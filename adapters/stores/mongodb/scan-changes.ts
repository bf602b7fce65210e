import type { Collection } from 'mongodb';
import { describeId, isObjectId } from '../documents/document-id.ts';
import type { TrackedByKey, TrackedDocument } from '../documents/tracked-document.ts';
import { readBson, readInBatches } from './batches.ts';
import {
  type ChangedDocument,
  type DocumentId,
  keyOfId,
  revisionOf,
  unusableId,
} from './changed-artists.ts';

/**
 * Revisions per reply, compared in one turn of the event loop. They are a hundred times smaller
 * than documents, but objects of a longer reply would be promoted to the old generation and trigger
 * the next full garbage collection sooner.
 */
const revisionBatchSize = 250;

/**
 * Maximum execution time of the whole list on the server, in milliseconds. No request waits for it,
 * and a server with a cold cache reads every document from disk.
 */
const maxListTimeMS = 10_000;

/**
 * Faulty documents that each load reads again, even if unchanged: a manual correction may not
 * update `updated_at`.
 */
const maxReadAgain = 100;

/** All documents in the order of `_id`: the tracked document, or one to read. */
export interface ChangeScan {
  readonly documents: readonly (TrackedDocument | ChangedDocument)[];
  readonly changed: readonly ChangedDocument[];
}

const isDocumentId = (id: unknown): id is DocumentId => typeof id === 'string' || isObjectId(id);

/**
 * Compares id and revision of every document with the tracked documents. Drops the strings of
 * unchanged documents immediately: keeping 10,000 of them would prolong every garbage collection
 * during the scan.
 *
 * @param readsAll true if all documents are to be read, even unchanged ones
 */
export const scanChanges = async (
  artists: Collection,
  tracked: TrackedByKey,
  readsAll: boolean,
): Promise<ChangeScan> => {
  const documents: (TrackedDocument | ChangedDocument)[] = [];
  const changed: ChangedDocument[] = [];
  let readAgain = 0;
  const isCurrent = (known: TrackedDocument, revision: ChangedDocument['revision']): boolean => {
    if (readsAll || !Object.is(known.revision, revision)) return false;
    if (known.faults.length === 0) return true;
    readAgain += 1;
    return readAgain > maxReadAgain;
  };
  const batches = readInBatches(artists, {}, revisionBatchSize, {
    projection: { _id: 1, updated_at: 1 },
    sort: { _id: 1 },
    batchSize: revisionBatchSize,
    maxTimeMS: maxListTimeMS,
  });
  for await (const batch of batches) {
    for (const { _id: id, updated_at } of batch.map(readBson)) {
      const [key, revision] = [keyOfId(id), revisionOf(updated_at)];
      const known = tracked.get(key);
      if (!isDocumentId(id))
        documents.push(unusableId(key, revision, describeId(id), 'must be a text or an ObjectId'));
      else if (known !== undefined && isCurrent(known, revision)) documents.push(known);
      else {
        const document = { key, id, revision };
        documents.push(document);
        changed.push(document);
      }
    }
  }
  return { documents, changed };
};
