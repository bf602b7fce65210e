import { Decimal128, Double, Int32, Long, ObjectId } from 'mongodb';
import type { StoredDocument } from '../documents/stored-document.ts';

/** A value of a stored document that JSON can hold; `undefined` for one that it cannot, such as binary data or `NaN`. */
export type PlainValue = string | number | boolean | null | undefined | readonly PlainValue[] | PlainDocument;

export interface PlainDocument {
  readonly [member: string]: PlainValue;
}

/** A number as JSON; as text when a JavaScript number would lose digits. */
const plainNumber = (text: string): number | string => (String(Number(text)) === text ? Number(text) : text);

const plainScalar = (value: unknown): PlainValue => {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  if (value instanceof ObjectId) return value.toHexString();
  if (value instanceof Double || value instanceof Int32) return plainScalar(value.valueOf());
  return value instanceof Long || value instanceof Decimal128 ? plainNumber(value.toString()) : undefined;
};

const isPlainObject = (value: unknown): value is StoredDocument =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

const plainObject = (
  document: StoredDocument,
  at: (name: string) => string,
  onLeftOut: (path: string) => void,
): PlainDocument =>
  Object.fromEntries(
    Object.entries(document)
      .map(([name, member]) => [name, toPlainValue(member, at(name), onLeftOut)] as const)
      .filter(([, member]) => member !== undefined),
  );

const toPlainValue = (value: unknown, path: string, onLeftOut: (path: string) => void): PlainValue => {
  const at = (name: string | number): string => (path === '' ? String(name) : `${path}.${name}`);
  if (Array.isArray(value)) {
    return value.map((item, index) => toPlainValue(item, at(index), onLeftOut)).filter((item) => item !== undefined);
  }
  if (isPlainObject(value)) return plainObject(value, at, onLeftOut);
  const plain = plainScalar(value);
  if (plain === undefined) onLeftOut(path);
  return plain;
};

/** Converts a stored document to JSON. Reports the path of every member that JSON cannot hold, and leaves it out. */
export const toPlainDocument = (document: StoredDocument, onLeftOut: (path: string) => void): PlainDocument =>
  plainObject(document, (name) => name, onLeftOut);
