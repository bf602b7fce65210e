import { isUtf8 } from 'node:buffer';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DocumentFault } from '../../../src/domain/document-fault.ts';
import { explainFailure, isNetworkFailure, StoreError } from '../../../src/runtime/store-error.ts';
import { orUndefined } from '../../files/own-file.ts';
import { type CollectionFiles, findCollectionFiles } from '../documents/collection-files.ts';
import type { NamedDocument } from '../documents/collection-reader.ts';
import {
  type FileDocument,
  formatPosition,
  parseDocumentFile,
  toUtf8,
} from '../documents/document-file.ts';
import { formatIssue } from '../documents/parse-result.ts';

/** Documents of a collection. `version` changes when the file changes. */
export interface FileDocuments {
  readonly version: string;
  readonly documents: readonly FileDocument[];
  /** Faults of the file as a whole. */
  readonly faults: readonly DocumentFault[];
}

/** The documents of a file, each with its position as its name. */
export const namedDocuments = ({ documents }: Pick<FileDocuments, 'documents'>): NamedDocument[] =>
  documents.map(({ value, position }) => ({ value, name: () => formatPosition(position) }));

const versionOf = async (path: string): Promise<string | undefined> => {
  const found = await orUndefined(stat(path));
  // Reading a named pipe would wait for a writer, and block a thread.
  if (found?.isFile() === false) throw new Error(`${path}: is not a regular file`);
  return found && `${path} ${found.ino} ${found.ctimeMs} ${found.mtimeMs} ${found.size}`;
};

const findFiles = async (folder: string, collection: string): Promise<CollectionFiles> =>
  findCollectionFiles(collection, ((await orUndefined(readdir(folder))) ?? []).toSorted());

/**
 * True if the folder has a file for the collection, or a file with its prefix. Then no other folder
 * is used instead.
 */
export const hasCollection = async (folder: string, collection: string): Promise<boolean> => {
  const { read, unread, conflict } = await findFiles(folder, collection);
  return read.length > 0 || unread.length > 0 || conflict !== undefined;
};

/**
 * The line of the first byte that is not UTF-8. Multi-byte sequences of UTF-8 contain no line
 * break.
 */
const firstWrongLine = (bytes: Buffer): number => {
  let line = 1;
  for (let start = 0; ; line++) {
    const end = bytes.indexOf('\n', start);
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) return line;
    start = end + 1;
  }
};

/**
 * A byte that is not UTF-8 reads as U+FFFD, as in MongoDB, so that other fields and documents are
 * not lost.
 */
const encodingFaults = (
  bytes: Buffer,
  collection: string,
  path: string,
): readonly DocumentFault[] => {
  if (isUtf8(bytes)) return [];
  const document = `${path} line ${firstWrongLine(bytes)}`;
  const reason = `a byte is not UTF-8: ${toUtf8}`;
  return [{ event: 'invalid UTF-8 replaced', collection, document, reason }];
};

const readDocuments = async (
  collection: string,
  path: string,
): Promise<Omit<FileDocuments, 'version'>> => {
  const bytes = await readFile(path);
  const { documents, errors } = parseDocumentFile(bytes, path);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${formatPosition(error)}: ${formatIssue(error)}`);
  return { documents, faults: encodingFaults(bytes, collection, path) };
};

const writeAdvice = 'Write files outside the folder and rename them into it';

/**
 * Creates a reader of a collection's files in a folder, for the same files as an import. Reads
 * again only if a file is replaced, or its size or times change. Rejects with file, line and reason
 * if a file is not JSON, has two extensions, changes while it is read, or is missing and not
 * optional. Bytes that are not UTF-8, and files with only the prefix, are reported.
 */
export const createFileReader = (folder: string, collection: string, { optional = false } = {}) => {
  let last: FileDocuments | undefined;

  const read = async (): Promise<FileDocuments> => {
    const { read: names, unread, conflict } = await findFiles(folder, collection);
    if (conflict !== undefined) throw new Error(`${folder}: ${conflict}`);
    if (names.length === 0 && !optional) {
      const others = unread.map(({ name, reason }) => `; ${name} is not read: ${reason}`).join('');
      throw new Error(
        `${join(folder, collection)}.json: there is no such file (nor one ending in .ndjson or .jsonl)${others}`,
      );
    }
    const paths = names.map((name) => join(folder, name));
    const versions = await Promise.all(paths.map(versionOf));
    const version = [...versions, ...unread.map(({ name }) => name)].join('\n');
    if (last?.version === version) return last;
    const files = await Promise.all(paths.map((path) => readDocuments(collection, path)));
    for (const [index, path] of paths.entries()) {
      if ((await versionOf(path)) === versions[index]) continue;
      throw new Error(`${path}: changed while it was read. ${writeAdvice}`);
    }
    const unreadFaults = unread.map(({ name, reason }) => ({
      event: 'file ignored' as const,
      collection,
      document: join(folder, name),
      reason,
    }));
    const [documents, faults] = [
      files.flatMap((file) => file.documents),
      files.flatMap((file) => file.faults),
    ];
    last = { version, documents, faults: [...faults, ...unreadFaults] };
    return last;
  };

  // An unreadable file is not a bug of the gateway: its log line needs no stack.
  return () =>
    read().catch((failure: unknown) => {
      const remedy = `correct the file, or the rights of ${folder}: it is read again at the next refresh`;
      const { reason, remedy: known } = explainFailure(failure, 'CATALOGUE_DIR');
      throw isNetworkFailure(failure) // too many open files
        ? new StoreError(`${folder}: ${reason}`, known)
        : new StoreError(reason, remedy);
    });
};
