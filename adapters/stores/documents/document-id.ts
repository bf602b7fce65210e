import { inspect } from 'node:util';

export interface ObjectId {
  toHexString(): string;
}

/** True if a value is an ObjectId of the driver. A stored document cannot contain a function. */
export const isObjectId = (value: unknown): value is ObjectId =>
  typeof value === 'object' &&
  value !== null &&
  'toHexString' in value &&
  typeof value.toHexString === 'function';

/** Maximum length of an identifier in the log, in characters. */
const maxDescription = 200;

/**
 * Describes an `_id` of any type for the log. Never throws: `String` would call the value's own
 * functions, such as a stored `toString`.
 */
export const describeId = (id: unknown): string => {
  if (isObjectId(id)) return id.toHexString();
  const text =
    typeof id === 'string' && id !== ''
      ? id
      : inspect(id, { depth: 2, maxArrayLength: 5, breakLength: Infinity });
  return text.length > maxDescription ? `${text.slice(0, maxDescription)}…` : text;
};
