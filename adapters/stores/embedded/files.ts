import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A document in a file, and where it is: `artists.ndjson line 7` or `artists.json document 7`. */
export interface FileDocument {
  readonly place: string;
  readonly value: unknown;
}

/** Documents of one collection; `version` changes when the file does. */
export interface FileDocuments {
  readonly version: string;
  readonly documents: readonly FileDocument[];
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const parseJson = (text: string, place: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${place}: cannot be parsed: ${messageOf(cause)}`, { cause });
  }
};

const parseArray = (text: string, path: string): FileDocument[] => {
  const values = parseJson(text, path);
  if (!Array.isArray(values)) throw new Error(`${path}: must hold a JSON array of documents`);
  return values.map((value: unknown, index) => ({ place: `${path} document ${index + 1}`, value }));
};

const parseLines = (text: string, path: string): FileDocument[] =>
  text.split('\n').flatMap((line, index) => {
    const place = `${path} line ${index + 1}`;
    return line.trim() === '' ? [] : [{ place, value: parseJson(line, place) }];
  });

const formats = [
  { ending: '.json', parse: parseArray },
  { ending: '.ndjson', parse: parseLines },
] as const;

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
  const versions = await Promise.all(formats.map(({ ending }) => versionOf(join(folder, collection + ending))));
  return versions.some((version) => version !== undefined);
};

/**
 * A reader of one collection's file in a folder, `<collection>.json` (an array) or `<collection>.ndjson` (a document a
 * line). Reads the file again only when it changed. Rejects with the file, the line and the reason when it cannot be
 * parsed, and when it is missing unless it is optional.
 */
export const createFileReader = (folder: string, collection: string, { optional = false } = {}) => {
  let last: FileDocuments | undefined;

  return async (): Promise<FileDocuments> => {
    for (const { ending, parse } of formats) {
      const path = join(folder, collection + ending);
      const version = await versionOf(path);
      if (version === undefined) continue;
      if (last?.version !== version) last = { version, documents: parse(await readFile(path, 'utf8'), path) };
      return last;
    }
    if (!optional)
      throw new Error(`${join(folder, collection)}.json: there is no such file (nor one ending in .ndjson)`);
    if (last?.version !== '') last = { version: '', documents: [] };
    return last;
  };
};
