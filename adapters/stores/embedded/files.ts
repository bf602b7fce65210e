import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { NamedDocument } from '../documents/collection-reader.ts';
import { type FileDocument, formatPosition, parseDocumentFile } from '../documents/document-file.ts';
import { formatIssue } from '../documents/parse-result.ts';

/** Documents of one collection; `version` changes when the file does. */
export interface FileDocuments {
  readonly version: string;
  readonly documents: readonly FileDocument[];
}

const endings = ['.json', '.ndjson'] as const;

/** The documents of a file, each with its position as its name. */
export const namedDocuments = ({ documents }: Pick<FileDocuments, 'documents'>): readonly NamedDocument[] =>
  documents.map(({ value, position }) => ({ value, name: () => formatPosition(position()) }));

const versionOf = async (path: string): Promise<string | undefined> => {
  try {
    const { mtimeMs, size } = await stat(path);
    return `${path} ${mtimeMs} ${size}`;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
};

/** Whether the folder has a file for the collection. */
export const hasCollection = async (folder: string, collection: string): Promise<boolean> => {
  const versions = await Promise.all(endings.map((ending) => versionOf(join(folder, collection + ending))));
  return versions.some((version) => version !== undefined);
};

const readDocuments = async (path: string): Promise<readonly FileDocument[]> => {
  const { documents, errors } = parseDocumentFile(await readFile(path, 'utf8'), path);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${formatPosition(error)}: ${formatIssue(error)}`);
  return documents;
};

/**
 * Creates a reader of one collection's file in a folder, `<collection>.json` (an array) or `<collection>.ndjson` (a document
 * a line). It reads the file again only when its size or time of change differs. It rejects with the file, the line and the
 * reason when the file is not JSON, and when the file is missing unless it is optional.
 */
export const createFileReader = (folder: string, collection: string, { optional = false } = {}) => {
  let last: FileDocuments | undefined;

  return async (): Promise<FileDocuments> => {
    for (const ending of endings) {
      const path = join(folder, collection + ending);
      const version = await versionOf(path);
      if (version === undefined) continue;
      if (last?.version !== version) last = { version, documents: await readDocuments(path) };
      return last;
    }
    if (!optional)
      throw new Error(`${join(folder, collection)}.json: there is no such file (nor one ending in .ndjson)`);
    if (last?.version !== '') last = { version: '', documents: [] };
    return last;
  };
};
