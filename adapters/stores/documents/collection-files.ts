// Finds the files of a collection in a folder, for an import, `validate` and a gateway over files
// (decisions, "Imports").

/** A file with the name prefix of a collection that is not read. */
export interface UnreadFile {
  readonly name: string;
  /** The fix, as a part of a sentence. */
  readonly reason: string;
}

/** The files of one collection among the names of a folder. */
export interface CollectionFiles {
  /** `NAME.json`, or the parts of the collection, in the order of their names. */
  readonly read: readonly string[];
  readonly unread: readonly UnreadFile[];
  /** Why no file is read: one name exists with two extensions. */
  readonly conflict: string | undefined;
}

/** Collections that must be one file: a second copy could undo a revocation. */
export const neverSplit: readonly string[] = ['api_keys', 'organizations'];

/** The collection, its part (`-2026-08`) and the extension of a file name. */
const namePattern = /^([a-z_]+)(-[\p{L}\p{N}_-]+)?\.(json|ndjson|jsonl)$/u;

/** The collection of a file that the user gave by its path, from its name. */
export const collectionOf = <Collection extends string>(
  collections: readonly Collection[],
  name: string,
): Collection | undefined => {
  const found = namePattern.exec(name)?.[1];
  return collections.find((one) => one === found);
};

/** True if the file contains one array; otherwise it has a document per line. */
export const isArrayFile = (path: string): boolean => path.endsWith('.json');

/** The possible file names, for messages. */
export const fileNames = 'ends in .json (an array), .ndjson or .jsonl (a document a line)';

const stemOf = (name: string): string => name.replace(/\.[^.]+$/, '');

/**
 * Describes two of the names that differ only in their extensions; `undefined` if there are none.
 */
export const findTwoEndings = (names: readonly string[]): string | undefined => {
  const first = new Map<string, string>();
  for (const name of names) {
    const other = first.get(stemOf(name));
    if (other !== undefined)
      return `there are ${other} and ${name}: neither is read, remove one of them`;
    first.set(stemOf(name), name);
  }
  return undefined;
};

/**
 * Finds the files of a collection: its own file, with one of three extensions, else its parts.
 * Other files with the collection's prefix are listed as not read.
 */
export const findCollectionFiles = (
  collection: string,
  names: readonly string[],
): CollectionFiles => {
  const canSplit = !neverSplit.includes(collection);
  const own = names.filter((name) => namePattern.test(name) && stemOf(name) === collection);
  const parts = names.filter(
    (name) => collectionOf([collection], name) === collection && !own.includes(name),
  );
  const [whole] = own;
  const read = whole === undefined ? (canSplit ? parts : []) : own;
  const reasonOf = (name: string): string => {
    if (parts.includes(name) && !canSplit) return `${collection} is never split`;
    if (parts.includes(name)) return `parts are not read if ${whole} exists`;
    const split = canSplit ? `, or begins with ${collection}-` : '';
    return `its name is not ${collection}${split} and ${fileNames}, in lower case`;
  };
  const unread = names
    .filter((name) => name.toLowerCase().startsWith(collection) && !read.includes(name))
    .map((name) => ({ name, reason: reasonOf(name) }));
  const conflict = findTwoEndings(read);
  return { read: conflict === undefined ? read.toSorted() : [], unread, conflict };
};

/**
 * Why a file that begins with this text is not an array, and the fix. An array inside a field, such
 * as `aliases`, belongs to a document.
 */
export const notAnArray = (text: string): string => {
  const reason = 'is no JSON array of documents';
  if (!text.trimStart().startsWith('{')) return reason;
  const [, member] =
    /^\s*\{\s*"(?!(?:aliases|genres|songs|points)")([A-Za-z_]\w*)"\s*:\s*\[/.exec(text) ?? [];
  const array =
    member === undefined
      ? 'make one with jq -s .'
      : `take out the array in its member ${member} with jq .${member}`;
  return `${reason}: ${array}, or end its name in .ndjson if it holds a document a line`;
};
