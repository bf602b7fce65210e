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

/** Percent escapes that follow each other: between them is ASCII, so each run is text or not. */
const escapes = /(?:%[\da-f]{2})+/gi;

const incompleteEscape = /%(?![\da-f]{2})/gi;

const bytesOf = (run: string): Buffer => Buffer.from(run.replaceAll('%', ''), 'hex');

/**
 * Whether `decodeURIComponent` decodes a part of a target, which is ASCII: no escape is incomplete,
 * and together they are UTF-8. Found without its error, which takes some 10 µs: a query may have
 * hundreds of such parameters. A path that is not readable is unknown.
 */
export const isReadable = (text: string): boolean => {
  if (!text.includes('%')) return true;
  if (text.search(incompleteEscape) !== -1) return false;
  return (text.match(escapes) ?? []).every((run) => isUtf8(bytesOf(run)));
};

/**
 * Encodes a malformed query anew, as `URLSearchParams` reads it: that would raise, and catch, the
 * same error for each parameter.
 */
const encodeAnew = (query: string): string =>
  query
    .replace(incompleteEscape, '%25')
    .replace(escapes, (run) => encodeURIComponent(bytesOf(run).toString()));

/** Maximum length of a query string, in bytes. Longer ones are not parsed. */
export const maxQueryBytes = 2048;

/** Whether the query string is longer than `maxQueryBytes`. */
export const isTooLong = ({ query }: Target): boolean => query.length > maxQueryBytes;

/**
 * Parses a target's query, unless it is too long. (Koa's `ctx.query` takes quadratic time in the
 * number of parameters.)
 */
export const readQuery = (target: Target): QueryString => {
  const isUnread = isTooLong(target);
  const query = isUnread ? '' : target.query;
  const pairs = isReadable(query) ? undefined : query.split('&').filter((pair) => pair !== '');
  const readable = pairs === undefined ? query : encodeAnew(query);
  const values = new Map<string, string[]>();
  const malformed = new Set<string>();
  const malformedFirst = new Set<string>();
  // Without the leading `&` URLSearchParams would drop a `?` at the start of the first name.
  const parameters = [...new URLSearchParams(query === '' ? '' : `&${readable}`)];
  for (const [index, [name, value]] of parameters.entries()) {
    const given = values.get(name);
    if (pairs !== undefined && !isReadable(pairs[index] ?? '')) {
      malformed.add(name);
      if (given === undefined) malformedFirst.add(name);
    }
    if (given === undefined) values.set(name, [value]);
    else given.push(value);
  }
  return {
    names: [...values.keys()],
    values: (name) => values.get(name) ?? [],
    malformed, // what to do about them is the form's decision
    malformedFirst,
    isTooLong: isUnread,
  };
};
