import { beginOwnFolder, type OwnFolder, orUnwritable } from '../../adapters/files/own-file.ts';
import {
  type DocumentStore,
  type OperatorDatabase,
  uniqueKeys,
} from '../../adapters/stores/database.ts';
import type { DocumentIssue } from '../../adapters/stores/documents/parse-result.ts';
import type { StoredDocument } from '../../adapters/stores/documents/stored-document.ts';
import { findKeyId, redactKeyTexts } from '../../src/keys/key-format.ts';
import { checkDocument } from './check-document.ts';
import { songIdsIn } from './check-input.ts';
import { orphanIssues } from './check-references.ts';
import { betweenImports, type Importer } from './import-lease.ts';
import { type CatalogueCollection, collections } from './input-files.ts';
import { notStored, omit, toExported } from './to-stored.ts';

/** Characters buffered for the next write. */
const maxPending = 2 ** 20;

const createLines = ({ append }: OwnFolder, name: string) => {
  let pending = '';
  const flush = async (): Promise<void> => {
    const text = pending;
    pending = '';
    await append(name, text);
  };
  return {
    flush,
    async write(line: string): Promise<void> {
      pending += `${line}\n`;
      if (pending.length >= maxPending) await flush();
    },
  };
};

type Lines = ReturnType<typeof createLines>;

export interface ExportWarning extends DocumentIssue {
  readonly collection: CatalogueCollection;
  readonly document: string;
}

const leftOutFile = 'left-out.ndjson';

const repeated = 'belongs to another document, which is exported';

/** Maximum warnings. */
const maxWarnings = 10_000;

const exportAll = async (
  documents: DocumentStore,
  folder: OwnFolder,
  interruption: AbortSignal,
) => {
  const warnings: ExportWarning[] = [];
  const counts = { artists: 0, history: 0, labels: 0 };
  const songIds = new Map<string, ReadonlySet<string>>();
  const leftOutArtists = new Set<string>();
  let [leftOut, orphans] = [0, 0];
  /** The key of the last written document. Documents with one key are adjacent. */
  let lastKey = '';
  const aside = createLines(folder, leftOutFile);
  const exportOne = async (
    collection: CatalogueCollection,
    stored: StoredDocument,
    file: Lines,
  ): Promise<void> => {
    const warning = (issue: DocumentIssue): void => {
      if (warnings.length >= maxWarnings) return;
      const document = redactKeyTexts(String(stored['_id']));
      warnings.push({
        collection,
        document,
        path: redactKeyTexts(issue.path),
        message: redactKeyTexts(issue.message),
      });
    };
    const onLeftOut = (path: string): void =>
      warning({ path, message: 'left out: JSON has no such value' });
    const line = JSON.stringify(
      toExported(omit(stored, notStored[collection]), documents.toJson, onLeftOut),
    );
    const { value = {}, issues } = checkDocument(collection, { bytes: Buffer.from(line) });
    const artistId = String(value[collection === 'artists' ? 'id' : 'artist_id']);
    if (collection === 'artists') {
      songIds.set(artistId, songIdsIn(value));
      if (issues.length > 0) leftOutArtists.add(artistId);
    }
    const isSeries = collection === 'history' && issues.length === 0;
    const isOrphan = isSeries && orphanIssues(value, songIds.get(artistId)).length > 0;
    const members = uniqueKeys[collection] ?? [];
    const key = JSON.stringify([collection, ...members.map((name) => value[name])]);
    const errors = [...issues];
    if (isSeries && leftOutArtists.has(artistId))
      errors.push({ path: 'artist_id', message: `the artist ${artistId} is left out` });
    if (key === lastKey) errors.push({ path: members.join(', '), message: repeated });
    errors.forEach(warning);
    if (errors.length === 0 && !isOrphan) {
      lastKey = key;
      counts[collection] += 1;
      await file.write(line);
      return;
    }
    if (errors.length > 0) leftOut += 1;
    else orphans += 1;
    if (findKeyId(line) !== undefined) return;
    await aside.write(line);
  };
  for (const collection of collections) {
    const file = createLines(folder, `${collection}.ndjson`);
    const order = uniqueKeys[collection] ?? [];
    for await (const stored of documents.find(collection, { order })) {
      interruption.throwIfAborted();
      await exportOne(collection, stored, file);
    }
    // An import rejects an empty file.
    if (counts[collection] === 0) await file.write('');
    await file.flush();
  }
  if (leftOut + orphans > 0) await aside.flush();
  return { counts, leftOut, orphans, warnings };
};

/**
 * Writes the stored catalogue to a new folder that only its user can read, in files for an import,
 * one document per line in the order of their keys. Documents that an import would reject go to
 * `left-out.ndjson`, which imports ignore, unless they contain a key; so do series of absent
 * artists and songs (`orphans`), which are not served. Does not read keys and organizations.
 * Rejects if an import writes in the meantime. A failed or interrupted export leaves no file.
 */
export const exportCatalogue = async (
  database: Pick<OperatorDatabase, 'documents' | 'now'>,
  folder: string,
  {
    machineNow,
    interruption,
  }: Pick<Importer, 'machineNow'> & { readonly interruption: AbortSignal },
) => {
  const own = await orUnwritable(folder, beginOwnFolder(folder));
  try {
    const exported = await betweenImports(database, machineNow, () =>
      exportAll(database.documents, own, interruption),
    );
    interruption.throwIfAborted();
    await orUnwritable(folder, own.keep());
    return exported;
  } catch (failure) {
    await own.discard();
    throw failure;
  }
};
