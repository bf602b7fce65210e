import { isDeepStrictEqual } from 'node:util';
import type { StoredDocument } from '../stores/documents/stored-document.ts';

const instantPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

const isInstant = (name: string, value: unknown): value is string =>
  name.endsWith('_at') && typeof value === 'string' && instantPattern.test(value) && !Number.isNaN(Date.parse(value));

const toStoredValue = (name: string, value: unknown): unknown => {
  if (isInstant(name, value)) return new Date(value);
  if (Array.isArray(value)) return value.map((item) => toStoredValue('', item));
  return typeof value === 'object' && value !== null ? toStored({ ...value }) : value;
};

/** Converts a document of a file to what MongoDB stores: instants (members that end in `_at`) become dates. */
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

/** Whether two documents are equal apart from the ignored members. The order of members does not count. */
export const equalDocuments = (left: StoredDocument, right: StoredDocument, ignored: readonly string[]): boolean =>
  isDeepStrictEqual(omit(left, ignored), omit(right, ignored));

/** The unique key of a stored series. */
export const storedSeriesKey = ({ artist_id, song_id, metric }: StoredDocument): string =>
  JSON.stringify([artist_id, song_id ?? null, metric]);
