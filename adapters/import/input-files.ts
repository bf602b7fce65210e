import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileNames, isArrayFile, isFileOf, resemblesFileOf } from '../stores/documents/collection-files.ts';

export const collections = ['artists', 'history', 'labels'] as const;
export type CatalogueCollection = (typeof collections)[number];

/** A file of an import. */
export interface InputFile {
  readonly path: string;
  readonly collection: CatalogueCollection;
  /** Bytes. */
  readonly size: number;
  /** When its content last changed, epoch milliseconds. */
  readonly changedAt: number;
}

/** A path or a file that a command cannot work with; the message says which one and what is allowed. */
export class PathError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PathError';
  }
}

/** Bytes of an array file. It is read as a whole, and takes about three times its size in memory. */
const maxArrayBytes = 64 * 2 ** 20;

const nameRule = `begins with artists, history or labels and ${fileNames}`;

const collectionOf = (path: string): CatalogueCollection | undefined =>
  collections.find((one) => isFileOf(one, basename(path)));

const inputFile = async (path: string, collection: CatalogueCollection): Promise<InputFile> => {
  const found = await stat(path);
  const { size, mtimeMs: changedAt } = found;
  if (!found.isFile()) {
    const message = 'is a pipe, socket or device: an import reads its files several times. Save it as a regular file.';
    throw new PathError(`${path}: ${message}`);
  }
  if (isArrayFile(path) && size > maxArrayBytes) {
    const mb = Math.ceil(size / 2 ** 20);
    const instead = 'Write one document a line: jq -c ".[]" FILE.json > FILE.ndjson (any size).';
    throw new PathError(`${path}: ${mb} MB, and an array file may have ${maxArrayBytes / 2 ** 20} MB. ${instead}`);
  }
  return { path, collection, size, changedAt };
};

const findFiles = async (path: string, onUnread: (path: string) => void): Promise<readonly InputFile[]> => {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw new PathError(`${path}: there is no such file or folder.`);
  if (!found.isDirectory()) {
    const collection = collectionOf(path);
    if (collection === undefined) throw new PathError(`${path}: unknown collection: use a name that ${nameRule}.`);
    return [await inputFile(path, collection)];
  }
  const files: InputFile[] = [];
  for (const name of (await readdir(path)).toSorted()) {
    const collection = collectionOf(name);
    if (collection !== undefined) files.push(await inputFile(join(path, name), collection));
    else if (collections.some((one) => resemblesFileOf(one, name))) onUnread(join(path, name));
  }
  if (files.length === 0) throw new PathError(`${path}: there is no file in this folder whose name ${nameRule}.`);
  return files;
};

/**
 * Finds files, and the files in folders that are named after a collection. Calls `onUnread` with those that only begin like one.
 * Rejects with an `PathError` for a wrong path.
 */
export const findInput = async (
  paths: readonly string[],
  onUnread: (path: string) => void,
): Promise<readonly InputFile[]> => (await Promise.all(paths.map((path) => findFiles(path, onUnread)))).flat();

const startsWith = (bytes: Buffer, ...magic: readonly number[]): boolean =>
  magic.every((byte, index) => bytes[index] === byte);

// biome-ignore lint/suspicious/noControlCharactersInRegex: it must match control characters
const controls = /[\u0000-\u0008\u000e-\u001f]/;

/** Names what a file is that cannot be UTF-8 text, from its first bytes; `undefined` when it may be. */
const describeEncoding = (start: Buffer): string | undefined => {
  if (startsWith(start, 0xff, 0xfe) || startsWith(start, 0xfe, 0xff)) return 'UTF-16';
  if (startsWith(start, 0x1f, 0x8b)) return 'compressed (gzip)';
  // JSON begins with an ASCII character: in UTF-16 without a byte order mark one of the first two bytes is 0.
  if (start.length > 1 && (start[0] === 0) !== (start[1] === 0)) return 'UTF-16';
  return controls.test(start.toString('latin1')) ? 'binary' : undefined;
};

/** Works with an open file. Rejects with a `PathError` when it changed since it was found, or is not UTF-8 text. */
export const withInputFile = async <Result>(
  { path, size, changedAt }: InputFile,
  work: (handle: FileHandle) => Promise<Result>,
): Promise<Result> => {
  const handle = await open(path);
  try {
    const now = await handle.stat();
    if (now.size !== size || now.mtimeMs !== changedAt) {
      throw new PathError(`${path}: was changed while it was read. Run the command again.`);
    }
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4096), 0, 4096, 0);
    const encoding = describeEncoding(buffer.subarray(0, bytesRead));
    if (encoding !== undefined) throw new PathError(`${path}: is ${encoding}. Write it as JSON text in UTF-8.`);
    return await work(handle);
  } finally {
    await handle.close();
  }
};
