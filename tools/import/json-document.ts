import type { DocumentStore } from '../../adapters/stores/database.ts';
import type { StoredDocument } from '../../adapters/stores/documents/stored-document.ts';

/**
 * Converts a stored document to what JSON can hold.
 *
 * @param toJson converts values of types that only the database has
 * @param onLeftOut called with the path of every member that JSON cannot hold, such as binary data
 * or `NaN`; it is left out
 */
export const toJsonDocument = (
  document: StoredDocument,
  toJson: DocumentStore['toJson'],
  onLeftOut: (path: string) => void,
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
    if (
      typeof value === 'object' &&
      value !== null &&
      Object.getPrototypeOf(value) === Object.prototype
    ) {
      return Object.fromEntries(ofMembers(value, path));
    }
    const plain = ofScalar(value);
    if (plain === undefined) onLeftOut(path);
    return plain;
  };
  return Object.fromEntries(ofMembers(document, ''));
};
