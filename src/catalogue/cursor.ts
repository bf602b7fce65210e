import { hash } from 'node:crypto';
import type { Position } from '../domain/order.ts';
import { Problem } from '../domain/problem.ts';
import type { Filters } from './questions.ts';

/** Far above the longest cursor an id can make; what is longer was not made here. */
const longest = 2048;

const sealOf = (position: Position, filters: Filters): string => {
  const { id, documentId, name, tier, addedSince, addedWithinDays, signed } = filters;
  const sealed = [position.dateAdded, position.id, id, documentId, name, tier, addedSince, addedWithinDays, signed];
  return hash('sha256', JSON.stringify(sealed), 'base64url').slice(0, 16);
};

/**
 * An opaque text for a place in the list that these filters give. It holds the position itself, so it stays good when
 * artists come and go and on every replica; its seal ties it to the filters and tells a damaged one.
 */
export const encodeCursor = (position: Position, filters: Filters): string =>
  Buffer.from(JSON.stringify([sealOf(position, filters), position.id, position.dateAdded])).toString('base64url');

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
 * The position in a cursor. Raises `invalid-cursor` for any text that `encodeCursor` does not make for these filters:
 * making it again and comparing finds every other spelling at once.
 */
export const decodeCursor = (text: string, filters: Filters): Position => {
  const position = text.length > longest ? undefined : readPosition(text);
  if (position === undefined || encodeCursor(position, filters) !== text) {
    throw new Problem(
      'invalid-cursor',
      'cursor must be the next_cursor of a response to a request with the same filters.',
    );
  }
  return position;
};
