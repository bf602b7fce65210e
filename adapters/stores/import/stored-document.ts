import { isDeepStrictEqual } from 'node:util';
import type { StoredDocument } from '../mongodb/import.ts';

const instantText = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

const isInstant = (name: string, value: unknown): value is string =>
  name.endsWith('_at') && typeof value === 'string' && instantText.test(value) && !Number.isNaN(Date.parse(value));

const toStoredValue = (name: string, value: unknown): unknown => {
  if (isInstant(name, value)) return new Date(value);
  if (Array.isArray(value)) return value.map((item) => toStoredValue('', item));
  return typeof value === 'object' && value !== null ? toStored({ ...value }) : value;
};

/** A document of a file as MongoDB holds it: instants (members that end in `_at`) are dates, and all else is as it was. */
export const toStored = (document: StoredDocument): StoredDocument =>
  Object.fromEntries(Object.entries(document).map(([name, value]) => [name, toStoredValue(name, value)]));

/** When an artist last changed, in epoch milliseconds; long ago when that is not told. */
export const changedAt = ({ updated_at: instant }: StoredDocument): number => {
  const moment = instant instanceof Date ? instant.getTime() : Date.parse(String(instant));
  return Number.isNaN(moment) ? 0 : moment;
};

/** A document but for some members. */
export const omit = (document: StoredDocument, names: readonly string[]): StoredDocument =>
  Object.fromEntries(Object.entries(document).filter(([name]) => !names.includes(name)));

/** Whether two documents say the same, but for the members named. The order of members says nothing. */
export const equalDocuments = (left: StoredDocument, right: StoredDocument, but: readonly string[]): boolean =>
  isDeepStrictEqual(omit(left, but), omit(right, but));
