import type { DocumentStore } from '../../adapters/stores/database.ts';
import type { StoredDocument } from '../../adapters/stores/documents/stored-document.ts';
import type { CatalogueCollection, DocumentPlace } from './input-files.ts';

/**
 * The field that marks an artist while its series are written. It remains after an interrupted
 * import.
 */
export const unfinishedMark = 'series_unfinished';

/**
 * The field with the id of the import that last wrote a document. Each write is conditional on it,
 * so that commands of a paused import change nothing after another import.
 */
export const writtenBy = 'import_run';

/** True for an object with fields that is not of a database-specific type. */
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
 * Converts a document of a file to its stored form: times (fields that end in `_at`) become dates.
 */
export const toStored = (document: StoredDocument): StoredDocument =>
  Object.fromEntries(
    Object.entries(document).map(([name, value]) => [name, toStoredValue(name, value)]),
  );

/**
 * Converts a stored document to its exported form, with dates for times as an import stores them.
 *
 * @param toJson converts values of database-specific types
 * @param onLeftOut called with the path of every field that JSON cannot represent, such as binary
 * data or `NaN`; it is omitted
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

/** An artist's change time in epoch milliseconds; 0 without a valid time. */
export const changedAt = ({ updated_at: instant }: StoredDocument): number => {
  const ms = instant instanceof Date ? instant.getTime() : Date.parse(String(instant));
  return Number.isNaN(ms) ? 0 : ms;
};

/** Identifies a stored document for a write that fails if another import has written it. */
export const asRead = (stored: StoredDocument) => ({
  _id: stored['_id'],
  before: { [writtenBy]: stored[writtenBy] },
});

export type StoredVersion = ReturnType<typeof asRead>;

export const omit = (document: StoredDocument, names: readonly string[]): StoredDocument =>
  Object.fromEntries(Object.entries(document).filter(([name]) => !names.includes(name)));

/**
 * Fields of a file that are not stored: series and labels get a new `_id`, and the others are the
 * import's own.
 */
export const notStored: Readonly<Record<CatalogueCollection, readonly string[]>> = {
  artists: [unfinishedMark, writtenBy],
  history: ['_id', writtenBy],
  labels: ['_id', writtenBy],
};

/** The fields that an import compares, without those it maintains. */
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
