import { isUtf8 } from 'node:buffer';
import type { QueryString } from '../forms/form.ts';

/** A request target and its parts, still percent-encoded. */
export interface Target {
  /** The target as it was sent. */
  readonly text: string;
  readonly path: string;
  readonly query: string;
}

const authority = /^https?:\/\/[^/?]*/i;

/**
 * Splits a request target at its first `?`. The authority of an absolute target (RFC 9112, section
 * 3.2.2) is dropped; a path that is empty then is `/` (RFC 9110, section 4.2.3).
 */
export const splitTarget = (text: string): Target => {
  const relative = text.startsWith('/') ? text : text.replace(authority, '');
  const index = relative.indexOf('?');
  return index === -1
    ? { text, path: relative || '/', query: '' }
    : { text, path: relative.slice(0, index) || '/', query: relative.slice(index + 1) };
};

const percentEscape = /%([\da-f]{2})/gi;

/**
 * Whether `decodeURIComponent` decodes a part of a target, which is ASCII: no escape is incomplete,
 * and together they are UTF-8. Found without its error, which takes some 10 µs: a query may have
 * hundreds of such parameters. A path that is not readable is unknown.
 */
export const isReadable = (text: string): boolean => {
  if (!text.includes('%')) return true;
  if (/%(?![\da-f]{2})/i.test(text)) return false;
  const toByte = (_: string, hex: string): string => String.fromCharCode(Number.parseInt(hex, 16));
  return isUtf8(Buffer.from(text.replace(percentEscape, toByte), 'latin1'));
};

/** Maximum length of a query string, in bytes. Longer ones are not parsed. */
export const maxQueryBytes = 2048;

/** Whether the query string is longer than `maxQueryBytes`. */
export const isTooLong = ({ query }: Target): boolean => query.length > maxQueryBytes;

const namesIn = (pairs: readonly string[]): readonly string[] => [
  ...new URLSearchParams(pairs.length === 0 ? '' : `&${pairs.join('&')}`).keys(),
];

/** The names of the malformed parameters, and of those whose first value is malformed. */
const malformedNames = (query: string): Pick<QueryString, 'malformed' | 'malformedFirst'> => {
  const pairs = isReadable(query) ? [] : query.split('&').filter((pair) => pair !== '');
  const seen = new Set<string>();
  const malformed = new Set<string>();
  const malformedFirst = new Set<string>();
  for (const [index, name] of namesIn(pairs).entries()) {
    if (!isReadable(pairs[index] ?? '')) {
      malformed.add(name);
      if (!seen.has(name)) malformedFirst.add(name);
    }
    seen.add(name);
  }
  return { malformed, malformedFirst };
};

/**
 * Parses a target's query, unless it is too long. (Koa's `ctx.query` takes quadratic time in the
 * number of parameters.)
 */
export const readQuery = (target: Target): QueryString => {
  const isUnread = isTooLong(target);
  const query = isUnread ? '' : target.query;
  const values = new Map<string, string[]>();
  // Without the leading `&` URLSearchParams would drop a `?` at the start of the first name.
  for (const [name, value] of new URLSearchParams(query === '' ? '' : `&${query}`)) {
    const given = values.get(name);
    if (given === undefined) values.set(name, [value]);
    else given.push(value);
  }
  return {
    names: [...values.keys()],
    values: (name) => values.get(name) ?? [],
    ...malformedNames(query), // what to do about them is the form's decision
    isTooLong: isUnread,
  };
};
