import type { Artist } from '../../../src/domain/model.ts';
import type { StoredDocument } from '../mongodb/import.ts';
import type { Checked } from './check.ts';
import type { ImportError } from './input-files.ts';

/**
 * Refuses artists whose two ids are not those that are stored together: a stored document never changes its `_id`, and
 * partners of either form know an artist by one of the two.
 */
export const findConflicts = (
  artists: readonly Checked<Artist>[],
  stored: readonly StoredDocument[],
): readonly ImportError[] => {
  const byId = new Map(stored.map((artist) => [String(artist['id']), artist]));
  const byDocumentId = new Map(stored.map((artist) => [String(artist['_id']), artist]));
  return artists.flatMap(({ file, line, model: { id, documentId } }) => {
    const sameId = byId.get(id);
    if (sameId !== undefined && String(sameId['_id']) !== documentId) {
      const reason = `${id} is stored with the _id ${String(sameId['_id'])}: give it that one`;
      return [{ file, line, member: '_id', reason }];
    }
    const sameDocument = byDocumentId.get(documentId);
    if (sameDocument !== undefined && String(sameDocument['id']) !== id) {
      const reason = `${documentId} is stored with the id ${String(sameDocument['id'])}: give it that one`;
      return [{ file, line, member: 'id', reason }];
    }
    return [];
  });
};
