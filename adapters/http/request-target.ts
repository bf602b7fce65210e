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
 * 3.2.2) is dropped.
 */
export const splitTarget = (text: string): Target => {
  const relative = text.startsWith('/') ? text : text.replace(authority, '');
  const index = relative.indexOf('?');
  return index === -1
    ? { text, path: relative, query: '' }
    : { text, path: relative.slice(0, index), query: relative.slice(index + 1) };
};

/** Decodes percent escapes; `undefined` when one is incomplete or they are not UTF-8. */
const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

/** Whether a path decodes to UTF-8. Any other path is unknown. */
export const isReadable = (path: string): boolean => decode(path) !== undefined;

/** Maximum length of a query string, in bytes. Longer ones are not parsed. */
export const maxQueryBytes = 2048;

/** Whether the query string is longer than `maxQueryBytes`. */
export const isTooLong = ({ query }: Target): boolean => query.length > maxQueryBytes;

const namesIn = (pairs: readonly string[]): readonly string[] => [
  ...new URLSearchParams(pairs.length === 0 ? '' : `&${pairs.join('&')}`).keys(),
];

/** The names of the malformed parameters, and of those whose first value is malformed. */
const malformedNames = (query: string): Pick<QueryString, 'malformed' | 'malformedFirst'> => {
  const pairs = decode(query) === undefined ? query.split('&').filter((pair) => pair !== '') : [];
  const isMalformed = pairs.map((pair) => decode(pair) === undefined);
  const names = namesIn(pairs);
  return {
    malformed: new Set(names.filter((_name, index) => isMalformed[index])),
    malformedFirst: new Set(
      names.filter((name, index) => isMalformed[index] && names.indexOf(name) === index),
    ),
  };
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
