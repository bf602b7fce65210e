import { hash } from 'node:crypto';

/**
 * Computes a weak ETag from texts that identify a result's data (decisions, "Freshness and
 * caching"). Weak, because responses with the same data differ in `generated_at` and `request_id`.
 */
export const weakETag = (...identifying: readonly string[]): string =>
  `W/"${hash('sha256', JSON.stringify(identifying), 'base64url').slice(0, 27)}"`;

/** True if `If-None-Match` is `*`: any tag. */
export const matchesAnyTag = (ifNoneMatch = ''): boolean => ifNoneMatch.trim() === '*';

/**
 * True if `If-None-Match` lists the tag, by weak comparison, or is `*` (RFC 9110, section 13.1.2).
 */
export const matchesIfNoneMatch = (tag: string, ifNoneMatch = ''): boolean =>
  ifNoneMatch === tag || // as nearly all clients send it
  matchesAnyTag(ifNoneMatch) ||
  [...ifNoneMatch.matchAll(/"[^"]*"/g)].some(([listed]) => tag === `W/${listed}`);
