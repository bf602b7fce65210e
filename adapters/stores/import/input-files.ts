import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { UsageError } from '../../cli/terminal/usage-error.ts';
import { elementLines } from './array-element-lines.ts';

export const catalogueCollections = ['artists', 'history', 'labels'] as const;
export type CatalogueCollection = (typeof catalogueCollections)[number];

/** Where a document stands. */
export interface Place {
  readonly file: string;
  readonly line: number;
}

export interface InputDocument extends Place {
  readonly collection: CatalogueCollection;
  readonly value: unknown;
}

/** Why something in the input cannot be taken: where it is, and the member that is wrong (`document` for all of it). */
export interface ImportError extends Place {
  readonly member: string;
  readonly reason: string;
}

export interface Input {
  readonly documents: readonly InputDocument[];
  /** What is not JSON. */
  readonly errors: readonly ImportError[];
  /** The collections there was a file for. */
  readonly collections: ReadonlySet<CatalogueCollection>;
}

interface InputFile {
  readonly path: string;
  readonly collection: CatalogueCollection;
  readonly parse: typeof parseLines;
}

const firstLineOf = (error: unknown): string =>
  String(error instanceof Error ? error.message : error).split('\n')[0] ?? '';

type Content = { readonly documents: InputDocument[]; readonly refused: ImportError[] };

const parseLines = (text: string, file: string, collection: CatalogueCollection): Content => {
  const content: Content = { documents: [], refused: [] };
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const place = { file, line: index + 1 };
    try {
      content.documents.push({ ...place, collection, value: JSON.parse(line) });
    } catch (error) {
      content.refused.push({ ...place, member: 'document', reason: `is not JSON: ${firstLineOf(error)}` });
    }
  }
  return content;
};

const parseArray = (text: string, file: string, collection: CatalogueCollection): Content => {
  const refuse = (reason: string): Content => ({
    documents: [],
    refused: [{ file, line: 1, member: 'document', reason }],
  });
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch (error) {
    return refuse(`is not JSON: ${firstLineOf(error)}`);
  }
  if (!Array.isArray(values)) return refuse('must be a JSON array of documents');
  const lines = elementLines(text);
  const documents = values.map((value: unknown, index) => ({ file, line: lines[index] ?? 1, collection, value }));
  return { documents, refused: [] };
};

const nameRule = 'begins with artists, history or labels and ends in .json (an array) or .ndjson (a document a line)';

/** A file's name tells what is in it; large collections may be split over several. */
const recognise = (path: string): InputFile | undefined => {
  const [, name, ending] = /^(artists|history|labels)(?:[-_.].*)?\.(json|ndjson)$/.exec(basename(path)) ?? [];
  const collection = catalogueCollections.find((one) => one === name);
  return collection && { path, collection, parse: ending === 'json' ? parseArray : parseLines };
};

const filesAt = async (path: string): Promise<readonly InputFile[]> => {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw new UsageError(`${path}: there is no such file or folder.`);
  if (!found.isDirectory()) {
    const file = recognise(path);
    if (file === undefined) throw new UsageError(`${path}: its name must tell what is in it: one that ${nameRule}.`);
    return [file];
  }
  const files = (await readdir(path))
    .toSorted()
    .map((name) => recognise(join(path, name)))
    .filter((file) => file !== undefined);
  if (files.length === 0) throw new UsageError(`${path}: there is no file in this folder whose name ${nameRule}.`);
  return files;
};

/** Reads files, and those of folders whose names tell a collection. */
export const readInput = async (paths: readonly string[]): Promise<Input> => {
  const files = (await Promise.all(paths.map(filesAt))).flat();
  const documents: InputDocument[] = [];
  const errors: ImportError[] = [];
  for (const { path, collection, parse } of files) {
    const text = (await readFile(path, 'utf8')).replace(/^\ufeff/, '');
    const content = parse(text, path, collection);
    for (const document of content.documents) documents.push(document);
    for (const refusal of content.refused) errors.push(refusal);
  }
  return { documents, errors, collections: new Set(files.map(({ collection }) => collection)) };
};
