import { isUtf8 } from 'node:buffer';
import type { QueryString } from '../forms/form.ts';

/** A request target and its parts, still percent-encoded. */
export interface Target {
  /** The target as the client sent it. */
  readonly text: string;
  readonly path: string;
  readonly query: string;
}

const authority = /^https?:\/\/[^/?]*/i;

/**
 * Splits a request target at its first `?`. Drops the authority of an absolute target (RFC 9112,
 * section 3.2.2); its empty path becomes `/` (RFC 9110, section 4.2.3).
 */
export const splitTarget = (text: string): Target => {
  const relative = text.startsWith('/') ? text : text.replace(authority, '');
  const index = relative.indexOf('?');
  return index === -1
    ? { text, path: relative || '/', query: '' }
    : { text, path: relative.slice(0, index) || '/', query: relative.slice(index + 1) };
};

/**
 * True if all percent escapes are complete and UTF-8. `decodeURIComponent` throws for other
 * escapes, and hundreds of errors per query take milliseconds.
 */
export const isReadable = (text: string): boolean => {
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return false;
  const unescaped = text.replace(/%(..)|[^ -~]/g, (_, hex?: string) =>
    hex === undefined ? '?' : String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return isUtf8(Buffer.from(unescaped, 'latin1'));
};

/** Maximum length of a query string, in bytes. Longer ones are not parsed. */
export const maxQueryBytes = 2048;

export const isTooLong = ({ query }: Target): boolean => query.length > maxQueryBytes;

/**
 * Parses a target's query, unless it is too long. (Koa's `ctx.query` takes quadratic time in the
 * number of parameters.)
 */
export const readQuery = (target: Target): QueryString => {
  const isUnread = isTooLong(target);
  const values = new Map<string, string[]>();
  const malformed = new Set<string>();
  for (const pair of isUnread ? [] : target.query.split('&')) {
    // Without the leading `&`, URLSearchParams would drop a `?` at the start of the name.
    for (const [name, value] of new URLSearchParams(`&${pair}`)) {
      const given = values.get(name);
      if (given !== undefined) {
        given.push(value);
        continue;
      }
      values.set(name, [value]);
      if (!isReadable(pair)) malformed.add(name);
    }
  }
  return {
    names: [...values.keys()],
    values: (name) => values.get(name) ?? [],
    malformed, // the form decides how to handle them
    isTooLong: isUnread,
  };
};
