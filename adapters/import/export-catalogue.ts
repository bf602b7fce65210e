import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { findKeyText, redactKeyTexts } from '../../src/keys/key-format.ts';
import { type DocumentStore, uniqueKeys } from '../stores/database.ts';
import { storedSeriesKey } from '../stores/documents/catalogue-documents.ts';
import type { DocumentIssue } from '../stores/documents/parse-result.ts';
import type { StoredDocument } from '../stores/documents/stored-document.ts';
import { makeOwnFolder } from '../stores/state/own-file.ts';
import { checkDocument } from './check-document.ts';
import { type CatalogueCollection, collections, PathError } from './input-files.ts';
import { toJsonDocument } from './json-document.ts';
import { type LineFile, openLineFile } from './line-file.ts';
import { notStored, omit, toStored } from './to-stored.ts';

/** A document that import would refuse, or a member that JSON cannot hold. */
export interface ExportRemark extends DocumentIssue {
  readonly collection: CatalogueCollection;
  /** The stored `_id`. */
  readonly document: string;
}

const leftOutFile = 'left-out.ndjson';

const fileOf = (collection: CatalogueCollection): string => `${collection}.ndjson`;

/** Makes the folder. Rejects when others may write to it, or when it has a file of an earlier export, which an import would read with the new ones. */
const prepareFolder = async (folder: string): Promise<void> => {
  await makeOwnFolder(folder);
  for (const name of [...collections.map(fileOf), leftOutFile]) {
    const isThere = await lstat(join(folder, name)).then(
      () => true,
      () => false,
    );
    if (isThere) throw new PathError(`${join(folder, name)}: exists already. Export to a new folder.`);
  }
};

/** Remembers the valid documents that were exported so far. The function says why another cannot be beside them. */
const createReferences = () => {
  const songIds = new Map<string, ReadonlySet<unknown>>();
  let lastKey = '';
  const keyOf = (collection: CatalogueCollection, document: StoredDocument): string =>
    collection === 'history' ? storedSeriesKey(document) : `${collection} ${document['id'] ?? document['name']}`;
  const orphanIssues = ({ artist_id: artistId, song_id: songId }: StoredDocument): DocumentIssue[] => {
    const songs = songIds.get(String(artistId));
    if (songs === undefined) return [{ path: 'artist_id', message: `there is no artist ${artistId} in the export` }];
    const hasSong = songId === undefined || songId === null || songs.has(songId);
    return hasSong ? [] : [{ path: 'song_id', message: `the artist ${artistId} has no song ${songId}` }];
  };
  return (collection: CatalogueCollection, document: StoredDocument): DocumentIssue[] => {
    const orphans = collection === 'history' ? orphanIssues(document) : [];
    if (orphans.length > 0) return orphans;
    const key = keyOf(collection, document);
    // Documents come in the order of their keys, so equal ones follow each other.
    if (key === lastKey) return [{ path: 'document', message: 'another document with the same key is exported' }];
    lastKey = key;
    const { id, songs } = document;
    if (collection === 'artists' && Array.isArray(songs)) {
      songIds.set(String(id), new Set(songs.map((song: StoredDocument) => song['id'])));
    }
    return [];
  };
};

/** Remarks that are kept. */
const maxRemarks = 10_000;

const exportAll = async (documents: DocumentStore, open: (name: string) => Promise<LineFile>) => {
  const aside = await open(leftOutFile);
  const issuesBeside = createReferences();
  const remarks: ExportRemark[] = [];
  const counts = { artists: 0, history: 0, labels: 0 };
  let [leftOut, asideLines] = [0, 0];
  const exportOne = async (collection: CatalogueCollection, stored: StoredDocument, file: LineFile): Promise<void> => {
    const remark = (issue: DocumentIssue): void => {
      if (remarks.length >= maxRemarks) return;
      const document = redactKeyTexts(String(stored['_id']));
      remarks.push({ collection, document, path: redactKeyTexts(issue.path), message: redactKeyTexts(issue.message) });
    };
    const onLeftOut = (path: string): void => remark({ path, message: 'left out: JSON has no such value' });
    // As an import would store it, so that instants are written in one way.
    const line = JSON.stringify(
      toStored(toJsonDocument(omit(stored, notStored[collection]), documents.toJson, onLeftOut)),
    );
    const { value, issues } = checkDocument(collection, { bytes: Buffer.from(line) });
    const mistakes = issues.length > 0 || value === undefined ? issues : issuesBeside(collection, value);
    mistakes.forEach(remark);
    if (mistakes.length === 0) {
      counts[collection] += 1;
      await file.write(line);
      return;
    }
    leftOut += 1;
    if (findKeyText(line) !== undefined) return;
    asideLines += 1;
    await aside.write(line);
  };
  for (const collection of collections) {
    const file = await open(fileOf(collection));
    for await (const stored of documents.find(collection, { order: uniqueKeys[collection] ?? [] }))
      await exportOne(collection, stored, file);
    await file.end();
  }
  await (asideLines === 0 ? aside.discard() : aside.end());
  return { counts, leftOut, remarks };
};

/**
 * Writes the stored catalogue to a folder, in the files that an import reads, one document a line in the order of their keys.
 * What an import would refuse goes to `left-out.ndjson`, which imports ignore, unless it holds the text of a key. Keys and
 * organizations are not read. An export that fails leaves no file.
 */
export const exportCatalogue = async (documents: DocumentStore, folder: string) => {
  await prepareFolder(folder);
  const files: LineFile[] = [];
  const open = async (name: string): Promise<LineFile> => {
    const file = await openLineFile(join(folder, name));
    files.push(file);
    return file;
  };
  try {
    return await exportAll(documents, open);
  } catch (failure) {
    for (const file of files) await file.discard();
    throw failure;
  }
};
