// Which files of a folder are a collection, for an import, `validate` and a gateway over files
// (decisions, "Imports").

/** A file that begins like a collection's and is not read. */
export interface UnreadFile {
  readonly name: string;
  /** What to do, as a part of a sentence. */
  readonly reason: string;
}

/** The files of one collection among the names of a folder. */
export interface CollectionFiles {
  /** `NAME.json`, or the parts of the collection, in the order of their names. */
  readonly read: readonly string[];
  readonly unread: readonly UnreadFile[];
  /** Why none is read: one name is there with two endings. */
  readonly conflict: string | undefined;
}

/** The collections that are one file: a copy of it beside it would undo a revocation. */
export const neverSplit: readonly string[] = ['api_keys', 'organizations'];

/** The collection, its part (`-2026-08`) and the ending of a file's name. */
const namePattern = /^([a-z_]+)(-[\p{L}\p{N}_-]+)?\.(json|ndjson|jsonl)$/u;

/** The collection that a file holds by its name alone: one that the user names by its path. */
export const collectionOf = <Collection extends string>(
  collections: readonly Collection[],
  name: string,
): Collection | undefined => {
  const found = namePattern.exec(name)?.[1];
  return collections.find((one) => one === found);
};

/** True if a file holds one array; else it holds a document a line. */
export const isArrayFile = (path: string): boolean => path.endsWith('.json');

/** The names that files may have, for messages. */
export const fileNames = 'ends in .json (an array), .ndjson or .jsonl (a document a line)';

const stemOf = (name: string): string => name.replace(/\.[^.]+$/, '');

/** Says of two of the names that they differ in their endings alone; `undefined` if none do. */
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
 * Finds the files of a collection: its own, in one of three endings, or its parts where there is
 * none. Everything else that begins like a collection is named and not read.
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
    if (parts.includes(name)) return `a part is not read beside ${whole}`;
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
 * Why an array file, which begins with this text, holds no array, and what to do. An array in a
 * member of the format, such as `aliases`, is one of a document.
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
