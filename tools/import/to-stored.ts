import type { StoredDocument } from '../../adapters/stores/documents/stored-document.ts';
import type { CatalogueCollection, DocumentPlace } from './input-files.ts';

/**
 * The member that marks an artist while its series are being written; after an interrupted import
 * it remains.
 */
export const unfinishedMark = 'series_unfinished';

/**
 * The member that names the import which wrote a document last. Each write is conditional on it, so
 * that a command of an import that stood still finds nothing to change after another import.
 */
export const writtenBy = 'import_run';

/** Whether a value that was read is an object with members, and of no type of the database. */
export const isPlain = (value: unknown): value is StoredDocument =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Whether a value of JSON is a document. */
export const isDocument = (value: unknown): value is StoredDocument =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const instantPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

const isInstant = (name: string, value: unknown): value is string =>
  name.endsWith('_at') &&
  typeof value === 'string' &&
  instantPattern.test(value) &&
  !Number.isNaN(Date.parse(value));

const toStoredValue = (name: string, value: unknown): unknown => {
  if (isInstant(name, value)) return new Date(value);
  if (Array.isArray(value)) return value.map((item) => toStoredValue('', item));
  return typeof value === 'object' && value !== null ? toStored({ ...value }) : value;
};

/**
 * Converts a document of a file to what a database stores: instants (members that end in `_at`)
 * become dates.
 */
export const toStored = (document: StoredDocument): StoredDocument =>
  Object.fromEntries(
    Object.entries(document).map(([name, value]) => [name, toStoredValue(name, value)]),
  );

/** When an artist last changed, in epoch milliseconds; 0 when the document has no valid instant. */
export const changedAt = ({ updated_at: instant }: StoredDocument): number => {
  const ms = instant instanceof Date ? instant.getTime() : Date.parse(String(instant));
  return Number.isNaN(ms) ? 0 : ms;
};

/** A stored document to write only while no other import has written it. */
export const asRead = (stored: StoredDocument) => ({
  _id: stored['_id'],
  before: { [writtenBy]: stored[writtenBy] },
});

export type StoredVersion = ReturnType<typeof asRead>;

/** A copy of a document without some of its members. */
export const omit = (document: StoredDocument, names: readonly string[]): StoredDocument =>
  Object.fromEntries(Object.entries(document).filter(([name]) => !names.includes(name)));

/**
 * Members of a file that are not stored: a series and a label get an `_id` of their own, and the
 * others are the import's.
 */
export const notStored: Readonly<Record<CatalogueCollection, readonly string[]>> = {
  artists: [unfinishedMark, writtenBy],
  history: ['_id', writtenBy],
  labels: ['_id', writtenBy],
};

/**
 * The members of a document that an import compares: those that it maintains itself are left out.
 */
export const omitMaintained = (
  collection: CatalogueCollection,
  document: StoredDocument,
): StoredDocument =>
  omit(document, [
    '_id',
    ...notStored[collection],
    ...(collection === 'artists' ? ['updated_at'] : []),
  ]);

/** A document of the input as it is to be stored. */
export const readStored = ({ file, bytes }: DocumentPlace): StoredDocument => {
  const value: StoredDocument = JSON.parse(bytes.toString());
  return toStored(omit(value, notStored[file.collection]));
};
