import { inspect } from 'node:util';

export interface ObjectId {
  toHexString(): string;
}

/** True if a value is an ObjectId of the driver; a stored document cannot hold a function. */
export const isObjectId = (value: unknown): value is ObjectId =>
  typeof value === 'object' &&
  value !== null &&
  'toHexString' in value &&
  typeof value.toHexString === 'function';

/** Characters of an identifier in the log. */
const maxDescription = 200;

/**
 * Describes the `_id` of any document for the log, whatever its type. Never throws: `String` would
 * call members of the value, such as a stored `toString`.
 */
export const describeId = (id: unknown): string => {
  if (isObjectId(id)) return id.toHexString();
  const text =
    typeof id === 'string' && id !== ''
      ? id
      : inspect(id, { depth: 2, maxArrayLength: 5, breakLength: Infinity });
  return text.length > maxDescription ? `${text.slice(0, maxDescription)}…` : text;
};
