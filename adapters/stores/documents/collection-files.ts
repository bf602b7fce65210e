// How files of stored documents are named, for an import and for a gateway over files (data
// format).

/**
 * What a file of a collection is called: `history.ndjson`, and `history-2026-08.ndjson` where a
 * collection is split.
 */
export const isFileOf = (collection: string, name: string): boolean =>
  new RegExp(`^${collection}(?:[-_.].*)?\\.(?:json|ndjson|jsonl)$`).test(name);

/**
 * Whether a file that is none of a collection may have been meant to be: `Artists.JSON`,
 * `artists.ndjson.gz`.
 */
export const resemblesFileOf = (collection: string, name: string): boolean =>
  !isFileOf(collection, name) && name.toLowerCase().startsWith(collection);

/** Whether a file holds one array; else it holds a document a line. */
export const isArrayFile = (path: string): boolean => path.endsWith('.json');

/** The names that files may have, for messages. */
export const fileNames = 'ends in .json (an array), .ndjson or .jsonl (a document a line)';

/** Why the text of an array file holds no array, and what to do. */
export const notAnArray = (text: string): string =>
  text.trimStart().startsWith('{')
    ? 'is no JSON array of documents: end its name in .ndjson if it holds a document a line'
    : 'is no JSON array of documents';
