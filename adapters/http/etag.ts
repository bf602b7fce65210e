import { hash } from 'node:crypto';

/**
 * A weak entity tag made from whatever identifies an answer's data. Weak, because two responses with the same data still
 * differ in when they were made.
 */
export const weakETag = (...identifying: readonly string[]): string =>
  `W/"${hash('sha256', JSON.stringify(identifying), 'base64url').slice(0, 27)}"`;

const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');

/** Whether `If-None-Match` names the tag, compared weakly (RFC 9110, 13.1.2). */
export const matchesIfNoneMatch = (tag: string, ifNoneMatch: string | undefined): boolean =>
  (ifNoneMatch ?? '').split(',').some((known) => known.trim() === '*' || opaque(known) === opaque(tag));
