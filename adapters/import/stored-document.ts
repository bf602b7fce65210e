import { hash } from 'node:crypto';
import type { StoredDocument } from '../stores/documents/stored-document.ts';
import type { CatalogueCollection } from './input-files.ts';

/** The member that marks an artist while its series are being written; after an interrupted import it remains. */
export const unfinishedMark = 'series_unfinished';

/** Whether a value of JSON is a document. */
export const isDocument = (value: unknown): value is StoredDocument =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Bytes of one stored document at most. */
export const maxStoredBytes = 16 * 2 ** 20;

/** Bytes that an import adds to a document at most: a generated `_id` and the members that it maintains. */
export const maxAddedBytes = 128;

/** The bytes that a value takes in BSON (bsonspec.org), beside its type and its name. */
export const storedBytes = (value: unknown): number => {
  if (typeof value === 'string') return 5 + Buffer.byteLength(value);
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) < 2 ** 31 ? 4 : 8;
  if (typeof value === 'boolean') return 1;
  let bytes = value === null ? 0 : 5;
  for (const [name, member] of Object.entries(value ?? {})) bytes += 2 + Buffer.byteLength(name) + storedBytes(member);
  return bytes;
};

const instantPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

const isInstant = (name: string, value: unknown): value is string =>
  name.endsWith('_at') && typeof value === 'string' && instantPattern.test(value) && !Number.isNaN(Date.parse(value));

const toStoredValue = (name: string, value: unknown): unknown => {
  if (isInstant(name, value)) return new Date(value);
  if (Array.isArray(value)) return value.map((item) => toStoredValue('', item));
  return typeof value === 'object' && value !== null ? toStored({ ...value }) : value;
};

/** Converts a document of a file to what a database stores: instants (members that end in `_at`) become dates. */
export const toStored = (document: StoredDocument): StoredDocument =>
  Object.fromEntries(Object.entries(document).map(([name, value]) => [name, toStoredValue(name, value)]));

/** When an artist last changed, in epoch milliseconds; 0 when the document has no valid instant. */
export const changedAt = ({ updated_at: instant }: StoredDocument): number => {
  const ms = instant instanceof Date ? instant.getTime() : Date.parse(String(instant));
  return Number.isNaN(ms) ? 0 : ms;
};

/** A copy of a document without some of its members. */
export const omit = (document: StoredDocument, names: readonly string[]): StoredDocument =>
  Object.fromEntries(Object.entries(document).filter(([name]) => !names.includes(name)));

/** Members of a file that are not stored: a series and a label get an `_id` of their own, and the mark is the import's. */
export const notStored: Readonly<Record<CatalogueCollection, readonly string[]>> = {
  artists: [unfinishedMark],
  history: ['_id'],
  labels: ['_id'],
};

/** Members that an import itself maintains, so they do not count as a difference. */
const maintained: Readonly<Record<CatalogueCollection, readonly string[]>> = {
  artists: ['_id', 'updated_at', unfinishedMark],
  history: ['_id'],
  labels: ['_id'],
};

/** A text with its length in front, so that what follows cannot be taken for a part of it. */
const sized = (text: string): string => `${text.length}"${text}`;

/**
 * A text that is equal for equal values, whatever the order of members. A stored instant differs from its text, and a value of
 * a type of the database from all that JSON has.
 */
const canonicalText = (value: unknown, name: string, isFile: boolean): string => {
  if (typeof value === 'string') return isFile && isInstant(name, value) ? `@${Date.parse(value)}` : sized(value);
  if (value instanceof Date) return `@${value.getTime()}`;
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value) text += `${canonicalText(item, '', isFile)},`;
    return `[${text}]`;
  }
  if (!isDocument(value)) return String(value);
  for (const one of Object.keys(value).sort()) text += `${sized(one)}${canonicalText(value[one], one, isFile)},`;
  return `${Object.getPrototypeOf(value) === Object.prototype ? '' : value.constructor.name}{${text}}`;
};

/** Characters of a digest: 16 hold 96 bits, so no two documents of a catalogue share one by chance. */
const digestLength = 16;

/**
 * Identifies what a document says, apart from what an import maintains: equal for a document of a file and a stored one when the
 * stored one is what an import makes of the file's.
 */
export const digestOf = (collection: CatalogueCollection, document: StoredDocument, isFile = false): string =>
  hash('sha256', canonicalText(omit(document, maintained[collection]), '', isFile), 'base64url').slice(0, digestLength);
