import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type DocumentError, type FileDocument, parseDocumentFile } from '../documents/document-file.ts';

const collections = ['artists', 'history', 'labels'] as const;
export type CatalogueCollection = (typeof collections)[number];

/** The files of an import, read but not yet checked. */
export interface ImportInput {
  readonly documents: Readonly<Record<CatalogueCollection, readonly FileDocument[]>>;
  /** One for every part of a file that is not JSON. */
  readonly errors: readonly DocumentError[];
  /** The collections that the input has a file for. */
  readonly collections: ReadonlySet<CatalogueCollection>;
}

/** A path that names no input; the message says which path and what is allowed. */
export class InputError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InputError';
  }
}

interface InputFile {
  readonly path: string;
  readonly collection: CatalogueCollection;
}

const nameRule = 'begins with artists, history or labels and ends in .json (an array) or .ndjson (a document a line)';

/** Finds the collection of a file by its name: `history.ndjson`, and `history-2026.ndjson` where a collection is split. */
const inputFile = (path: string): InputFile | undefined => {
  const [, name] = /^(artists|history|labels)(?:[-_.].*)?\.(?:json|ndjson)$/.exec(basename(path)) ?? [];
  const collection = collections.find((one) => one === name);
  return collection && { path, collection };
};

const findFiles = async (path: string): Promise<readonly InputFile[]> => {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw new InputError(`${path}: there is no such file or folder.`);
  if (!found.isDirectory()) {
    const file = inputFile(path);
    if (file === undefined) throw new InputError(`${path}: unknown collection: use a name that ${nameRule}.`);
    return [file];
  }
  const files = (await readdir(path))
    .toSorted()
    .map((name) => inputFile(join(path, name)))
    .filter((file) => file !== undefined);
  if (files.length === 0) throw new InputError(`${path}: there is no file in this folder whose name ${nameRule}.`);
  return files;
};

/** Reads files, and the files in folders that are named after a collection. Rejects with an `InputError` for a wrong path. */
export const readInput = async (paths: readonly string[]): Promise<ImportInput> => {
  const files = (await Promise.all(paths.map(findFiles))).flat();
  const documents: Record<CatalogueCollection, FileDocument[]> = { artists: [], history: [], labels: [] };
  const errors: DocumentError[] = [];
  for (const { path, collection } of files) {
    const content = parseDocumentFile(await readFile(path, 'utf8'), path);
    for (const document of content.documents) documents[collection].push(document);
    for (const error of content.errors) errors.push(error);
  }
  return { documents, errors, collections: new Set(files.map(({ collection }) => collection)) };
};
