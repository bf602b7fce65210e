import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DocumentFault } from '../../../src/domain/document-fault.ts';
import type { NamedDocument } from '../documents/collection-reader.ts';
import { type FileDocument, formatPosition, parseDocumentFile } from '../documents/document-file.ts';
import { formatIssue } from '../documents/parse-result.ts';
import { orUndefined } from '../state/own-file.ts';

/** Documents of one collection; `version` changes when the file does. */
export interface FileDocuments {
  readonly version: string;
  readonly documents: readonly FileDocument[];
  /** Those of the file as a whole. */
  readonly faults: readonly DocumentFault[];
}

const endings = ['.json', '.ndjson'] as const;

/** The documents of a file, each with its position as its name. */
export const namedDocuments = ({ documents }: Pick<FileDocuments, 'documents'>): NamedDocument[] =>
  documents.map(({ value, position }) => ({ value, name: () => formatPosition(position()) }));

const versionOf = async (path: string): Promise<string | undefined> => {
  const found = await orUndefined(stat(path));
  return found && `${path} ${found.ino} ${found.ctimeMs} ${found.mtimeMs} ${found.size}`;
};

/** Whether the folder has a file for the collection. */
export const hasCollection = async (folder: string, collection: string): Promise<boolean> => {
  const versions = await Promise.all(endings.map((ending) => versionOf(join(folder, collection + ending))));
  return versions.some((version) => version !== undefined);
};

/** The line of the first byte that is not UTF-8; the sequences of UTF-8 hold no line break. */
const firstWrongLine = (bytes: Buffer): number => {
  let line = 1;
  for (let start = 0; ; line++) {
    const end = bytes.indexOf('\n', start);
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) return line;
    start = end + 1;
  }
};

/** A byte that is not UTF-8 reads as U+FFFD, as in MongoDB: the other members and documents are not lost with it. */
const encodingFaults = (bytes: Buffer, collection: string, path: string): readonly DocumentFault[] => {
  if (isUtf8(bytes)) return [];
  const document = `${path} line ${firstWrongLine(bytes)}`;
  const reason = 'a byte is not UTF-8: convert the file, from Latin-1: iconv -f latin1 -t utf-8';
  return [{ event: 'text not UTF-8, read as U+FFFD', collection, document, reason }];
};

const readDocuments = async (collection: string, path: string): Promise<Omit<FileDocuments, 'version'>> => {
  const bytes = await readFile(path);
  const { documents, errors } = parseDocumentFile(bytes.toString(), path);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${formatPosition(error)}: ${formatIssue(error)}`);
  return { documents, faults: encodingFaults(bytes, collection, path) };
};

/**
 * Creates a reader of one collection's file in a folder, `<collection>.json` (an array) or `<collection>.ndjson` (a document
 * a line). It reads the file again only when it is another file, or its size or a time of change differs. It rejects with the file, the line and the
 * reason when the file is not JSON, and when the file is missing unless it is optional. Bytes that are not UTF-8 are reported.
 */
export const createFileReader = (folder: string, collection: string, { optional = false } = {}) => {
  let last: FileDocuments | undefined;

  return async (): Promise<FileDocuments> => {
    for (const ending of endings) {
      const path = join(folder, collection + ending);
      const version = await versionOf(path);
      if (version === undefined) continue;
      if (last?.version !== version) last = { version, ...(await readDocuments(collection, path)) };
      return last;
    }
    if (!optional)
      throw new Error(`${join(folder, collection)}.json: there is no such file (nor one ending in .ndjson)`);
    if (last?.version !== '') last = { version: '', documents: [], faults: [] };
    return last;
  };
};
