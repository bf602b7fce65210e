import { access, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findKeyText } from '../../src/keys/key-format.ts';
import type { DocumentStore } from '../stores/database.ts';
import type { DocumentIssue } from '../stores/documents/parse-result.ts';
import type { StoredDocument } from '../stores/documents/stored-document.ts';
import { checkDocument } from './check-document.ts';
import type { CatalogueCollection } from './input-files.ts';
import { toJsonDocument } from './json-document.ts';
import { type LineFile, openLineFile } from './line-file.ts';
import { omit, storedSeriesKey, toStored, unfinishedMark } from './stored-document.ts';

/** A document that import would refuse, or a member that JSON cannot hold. */
export interface ExportRemark extends DocumentIssue {
  readonly collection: CatalogueCollection;
  /** The stored `_id`. */
  readonly document: string;
}

/** What an export wrote: documents by collection, and how many it left out. */
export interface ExportResult {
  readonly counts: Readonly<Record<CatalogueCollection, number>>;
  readonly leftOut: number;
  readonly remarks: readonly ExportRemark[];
}

/** A file of an earlier export, or a folder that cannot be written; the message says which. */
export class ExportError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ExportError';
  }
}

/** The order of the documents in each file, and the members that an import makes anew. */
const collections: Readonly<Record<CatalogueCollection, { order: readonly string[]; omitted: readonly string[] }>> = {
  artists: { order: ['id'], omitted: [unfinishedMark] },
  history: { order: ['artist_id', 'song_id', 'metric'], omitted: ['_id'] },
  labels: { order: ['name'], omitted: ['_id'] },
};

const fileNames = ['artists.ndjson', 'history.ndjson', 'labels.ndjson', 'left-out.ndjson'] as const;

/** Makes the folder. Rejects when it has a file of an earlier export, which an import would read with the new ones. */
const prepareFolder = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  for (const name of fileNames) {
    const isThere = await access(join(folder, name)).then(
      () => true,
      () => false,
    );
    if (isThere) throw new ExportError(`${join(folder, name)}: exists already. Export to a new folder.`);
  }
};

/** What the documents refer to that were exported so far. */
const createReferences = () => {
  const songIds = new Map<string, ReadonlySet<unknown>>();
  let lastKey = '';
  const keyOf = (collection: CatalogueCollection, document: StoredDocument): string =>
    collection === 'history' ? storedSeriesKey(document) : `${collection} ${document['id'] ?? document['name']}`;
  const orphanIssue = ({ artist_id: artistId, song_id: songId }: StoredDocument): DocumentIssue | undefined => {
    const songs = songIds.get(String(artistId));
    if (songs === undefined) return { path: 'artist_id', message: `there is no artist ${artistId} in the export` };
    const hasSong = songId === undefined || songId === null || songs.has(songId);
    return hasSong ? undefined : { path: 'song_id', message: `the artist ${artistId} has no song ${songId}` };
  };
  return {
    /** Remembers a valid document, or says why it cannot be beside the ones before. */
    add(collection: CatalogueCollection, document: StoredDocument): DocumentIssue | undefined {
      const orphan = collection === 'history' ? orphanIssue(document) : undefined;
      if (orphan !== undefined) return orphan;
      const key = keyOf(collection, document);
      // Documents come in the order of their keys, so equal ones follow each other.
      if (key === lastKey) return { path: 'document', message: 'another document with the same key is exported' };
      lastKey = key;
      const { id, songs } = document;
      if (collection === 'artists' && Array.isArray(songs)) {
        songIds.set(String(id), new Set(songs.map((song: StoredDocument) => song['id'])));
      }
      return undefined;
    },
  };
};

type References = ReturnType<typeof createReferences>;

interface Export {
  readonly documents: DocumentStore;
  readonly references: References;
  /** Takes a document that an import would refuse. */
  putAside(line: string): Promise<void>;
  remark(remark: ExportRemark): void;
}

const exportCollection = async (
  collection: CatalogueCollection,
  file: LineFile,
  { documents, references, putAside, remark }: Export,
): Promise<number> => {
  const { order, omitted } = collections[collection];
  for await (const stored of documents.find(collection, { order })) {
    const remarkIssue = (issue: DocumentIssue): void =>
      remark({ collection, document: String(stored['_id']), ...issue });
    const onLeftOut = (path: string): void => remarkIssue({ path, message: 'left out: JSON has no such value' });
    // As an import would store it, so that instants are written in one way.
    const line = JSON.stringify(toStored(toJsonDocument(omit(stored, omitted), documents.toJson, onLeftOut)));
    const raw = { line: 0, column: 0, offset: 0, length: 0, bytes: Buffer.from(line) };
    const { value, issues } = checkDocument(collection, raw);
    const found = issues.length > 0 || value === undefined ? issues : [references.add(collection, value)];
    const mistakes = found.filter((issue) => issue !== undefined);
    for (const issue of mistakes) remarkIssue(issue);
    await (mistakes.length === 0 ? file.write(line) : putAside(line));
  }
  return file.lines;
};

/** Remarks that are kept. */
const maxRemarks = 10_000;

/**
 * Writes the stored catalogue to a folder, in the files that an import reads, one document a line in the order of their keys.
 * What an import would refuse goes to `left-out.ndjson`, which imports ignore, unless it holds the text of a key. Keys and
 * organizations are not read.
 */
export const exportCatalogue = async (documents: DocumentStore, folder: string): Promise<ExportResult> => {
  await prepareFolder(folder);
  const aside = await openLineFile(join(folder, 'left-out.ndjson'));
  const remarks: ExportRemark[] = [];
  let leftOut = 0;
  const work: Export = {
    documents,
    references: createReferences(),
    async putAside(line) {
      leftOut += 1;
      if (findKeyText(line) === undefined) await aside.write(line);
    },
    remark: (one) => void (remarks.length < maxRemarks && remarks.push(one)),
  };
  const exportAll = async (collection: CatalogueCollection): Promise<number> => {
    const file = await openLineFile(join(folder, `${collection}.ndjson`));
    const lines = await exportCollection(collection, file, work);
    await file.end();
    return lines;
  };
  const counts = {
    artists: await exportAll('artists'),
    history: await exportAll('history'),
    labels: await exportAll('labels'),
  };
  await aside.end();
  if (aside.lines === 0) await rm(join(folder, 'left-out.ndjson'));
  return { counts, leftOut, remarks };
};
