import type { DocumentStore } from '../../adapters/stores/database.ts';
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

/**
 * Converts a stored document to what an export writes of it, with dates for instants as an import
 * stores them.
 *
 * @param toJson converts values of types that only the database has
 * @param onLeftOut called with the path of every member that JSON cannot hold, such as binary data
 * or `NaN`; it is left out
 */
export const toExported = (
  document: StoredDocument,
  toJson: DocumentStore['toJson'],
  onLeftOut: (path: string) => void = () => {},
): StoredDocument => {
  const ofScalar = (value: unknown): unknown => {
    if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
    if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
    if (value instanceof Date)
      return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
    return typeof value === 'object' ? toJson(value) : undefined;
  };
  const ofMembers = (value: object, path: string) =>
    Object.entries(value)
      .map(
        ([name, member]) =>
          [name, ofValue(member, path === '' ? name : `${path}.${name}`)] as const,
      )
      .filter(([, member]) => member !== undefined);
  const ofValue = (value: unknown, path: string): unknown => {
    if (Array.isArray(value)) return ofMembers(value, path).map(([, item]) => item);
    if (isPlain(value)) return Object.fromEntries(ofMembers(value, path));
    const plain = ofScalar(value);
    if (plain === undefined) onLeftOut(path);
    return plain;
  };
  return toStored(Object.fromEntries(ofMembers(document, '')));
};

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

export const readStored = ({ file, bytes }: DocumentPlace): StoredDocument => {
  const value: StoredDocument = JSON.parse(bytes.toString());
  return toStored(omit(value, notStored[file.collection]));
};
