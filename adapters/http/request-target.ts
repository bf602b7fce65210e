import type { Query } from '../forms/form.ts';

/** A request target and its parts, still percent-encoded. */
export interface Target {
  /** The target as it was sent. */
  readonly text: string;
  readonly path: string;
  readonly query: string;
}

const authority = /^https?:\/\/[^/?]*/i;

/** Splits a request target at its first `?`. The authority of an absolute target (RFC 9112, section 3.2.2) is dropped. */
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

/** Whether a path decodes to UTF-8 without control characters. Any other path is unknown. */
export const isReadable = (path: string): boolean => {
  const text = decode(path);
  return text !== undefined && !/\p{Cc}/u.test(text);
};

const malformedNames = (query: string): ReadonlySet<string> => {
  const malformed = decode(query) === undefined ? query.split('&').filter((pair) => decode(pair) === undefined) : [];
  return new Set(new URLSearchParams(`&${malformed.join('&')}`).keys());
};

/** Parses a query string. (Koa's `ctx.query` takes quadratic time in the number of parameters.) */
export const parseQuery = (query: string): Query => {
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
    malformed: malformedNames(query), // what to do about them is the form's decision
  };
};
