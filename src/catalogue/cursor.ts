import { hash } from 'node:crypto';
import type { Filters } from '../domain/filters.ts';
import type { Position } from '../domain/order.ts';
import { Problem } from '../domain/problem.ts';

/** In characters. The longest valid cursor is far shorter. */
const maxCursorLength = 2048;

/**
 * Includes other filters only if they are set, by name, so that new filters keep existing cursors
 * valid.
 */
const checksumOf = (position: Position, filters: Filters): string => {
  const { id, documentId, name, tier, addedSince, addedWithinDays, signed, ...others } = filters;
  const named = [id, documentId, name, tier, addedSince, addedWithinDays, signed];
  const set = Object.entries(others).filter(([, value]) => value !== undefined);
  const covered = [position.dateAdded, position.id, ...named, ...set.sort()];
  return hash('sha256', JSON.stringify(covered), 'base64url').slice(0, 16);
};

/**
 * Encodes a position in a filtered list as an opaque text (decisions, "Parameters and contents").
 * The cursor contains the position, so it stays valid on every replica and when artists are added
 * or removed. Its checksum covers position and filters.
 */
export const encodeCursor = (position: Position, filters: Filters): string =>
  Buffer.from(
    JSON.stringify([checksumOf(position, filters), position.id, position.dateAdded]),
  ).toString('base64url');

const readPosition = (text: string): Position | undefined => {
  let decoded: unknown;
  try {
    decoded = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined; // not JSON, therefore not a cursor: the caller raises the problem
  }
  if (!Array.isArray(decoded)) return undefined;
  const [, id, dateAdded]: unknown[] = decoded;
  if (typeof id !== 'string') return undefined;
  if (typeof dateAdded !== 'string' && dateAdded !== null) return undefined;
  return { id, dateAdded: dateAdded ?? undefined };
};

/**
 * Decodes the position in a cursor. Raises `invalid-cursor` for any text that `encodeCursor` does
 * not produce for these filters. Re-encoding and comparing also catches other spellings of the same
 * JSON or base64.
 */
export const decodeCursor = (text: string, filters: Filters): Position => {
  const position = text.length > maxCursorLength ? undefined : readPosition(text);
  if (position === undefined || encodeCursor(position, filters) !== text) {
    throw new Problem(
      'invalid-cursor',
      'cursor must be the next_cursor of a response to a request with the same filters.',
    );
  }
  return position;
};
