import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { PathError } from '../../adapters/files/own-file.ts';
import {
  collectionOf,
  fileNames,
  findCollectionFiles,
  findTwoEndings,
  neverSplit,
  type UnreadFile,
} from '../../adapters/stores/documents/collection-files.ts';
import { sum } from '../../src/domain/quantities.ts';

export const collections = ['artists', 'history', 'labels'] as const;
export type CatalogueCollection = (typeof collections)[number];

/** A file of an import. Its bytes are kept until the import ends. */
export interface InputFile {
  readonly path: string;
  readonly collection: CatalogueCollection;
  readonly bytes: Buffer;
}

/** A document of the input: its position, and its id and name if it has them. */
export interface DocumentPlace {
  readonly file: InputFile;
  readonly line: number;
  readonly id: string;
  readonly name: string;
  readonly bytes: Buffer;
}

/** Maximum bytes of all files of a run, which are kept in memory. */
const maxInputBytes = 2 ** 30;

type NamedFile = Pick<InputFile, 'path' | 'collection'>;

const nameRule = `is artists, history or labels, or begins with one of them and a hyphen, and ${fileNames}`;

/** Receives each ignored file of a folder whose name begins like a collection's. */
export type OnUnread = (path: string, reason: UnreadFile['reason']) => void;

/** Settles like `work`, which reads a path, with file system failures as `PathError`. */
const orUnreadable = async <Result>(path: string, work: Promise<Result>): Promise<Result> => {
  try {
    return await work;
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause)) throw cause;
    const code = String(cause.code);
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
    const reason = isMissing ? 'no such file or folder' : `cannot be read (${code})`;
    throw new PathError(`${path}: ${reason}.`, { cause });
  }
};

const findPaths = async (path: string, onUnread: OnUnread): Promise<readonly NamedFile[]> => {
  const found = await orUnreadable(path, stat(path));
  if (!found.isDirectory()) {
    const collection = collectionOf(collections, basename(path));
    if (collection === undefined)
      throw new PathError(`${path}: unknown collection: use a name that ${nameRule}.`);
    return [{ path, collection }];
  }
  const files: NamedFile[] = [];
  const names = (await orUnreadable(path, readdir(path))).toSorted();
  for (const name of [...collections, ...neverSplit]) {
    const { read, unread, conflict } = findCollectionFiles(name, names);
    if (conflict !== undefined) throw new PathError(`${path}: ${conflict}.`);
    for (const one of unread) onUnread(join(path, one.name), one.reason);
    const collection = collections.find((one) => one === name);
    if (collection !== undefined)
      files.push(...read.map((one) => ({ path: join(path, one), collection })));
  }
  if (files.length === 0)
    throw new PathError(`${path}: this folder has no file whose name ${nameRule}.`);
  return files;
};

/** A control character that JSON never contains; UTF-16, compressed and binary files do. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it must match control characters
const controls = /[\u0000-\u0008\u000e-\u001f]|^\xff\xfe|^\xfe\xff/;

/** The bytes of a regular file. Rejects other paths with a `PathError`. */
const sizeOf = async (path: string): Promise<number> => {
  const found = await orUnreadable(path, stat(path));
  if (found.isFile()) return found.size;
  throw new PathError(`${path}: is not a regular file.`);
};

const readInput = async ({ path, collection }: NamedFile): Promise<InputFile> => {
  const bytes = await orUnreadable(path, readFile(path));
  if (controls.test(bytes.toString('latin1', 0, 4096)))
    throw new PathError(
      `${path}: is not UTF-8 text, but UTF-16, compressed or binary. Write it as JSON in UTF-8.`,
    );
  return { path, collection, bytes };
};

/**
 * Reads files, and files in folders that are named after a collection, up to 1 GB. Calls `onUnread`
 * with files that only begin like one. Rejects with a `PathError` for an invalid path and for a
 * file that is not UTF-8.
 */
export const readInputFiles = async (
  paths: readonly string[],
  onUnread: OnUnread,
): Promise<readonly InputFile[]> => {
  const found = (await Promise.all(paths.map((path) => findPaths(path, onUnread)))).flat();
  const twoEndings = findTwoEndings([...new Set(found.map(({ path }) => path))]);
  if (twoEndings !== undefined) throw new PathError(`Of the files named, ${twoEndings}.`);
  const sizes = await Promise.all(found.map(({ path }) => sizeOf(path)));
  const total = sum(sizes);
  if (total > maxInputBytes) {
    const instead =
      'Import artists first, then history in parts (history-1.ndjson), each in a run of its own without --prune';
    throw new PathError(
      `The input has ${Math.ceil(total / 2 ** 20)} MB, and one run accepts 1024 MB. ${instead}.`,
    );
  }
  const files: InputFile[] = [];
  for (const one of found) files.push(await readInput(one));
  return files;
};
