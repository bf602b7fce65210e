import type { Query } from '../forms/form.ts';

/** A request target, and its two parts, still encoded. */
export interface Target {
  /** As it was sent. */
  readonly text: string;
  readonly path: string;
  readonly query: string;
}

const authority = /^https?:\/\/[^/?]*/i;

/** Splits a request target at its first `?`. The authority of an absolute target (RFC 9112, 3.2.2) is dropped. */
export const splitTarget = (text: string): Target => {
  const relative = text.startsWith('/') ? text : text.replace(authority, '');
  const mark = relative.indexOf('?');
  return mark === -1
    ? { text, path: relative, query: '' }
    : { text, path: relative.slice(0, mark), query: relative.slice(mark + 1) };
};

/** What percent escapes say; `undefined` when one is cut short or they are not UTF-8. */
const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

/** Whether the escapes of a path can be the name of something: UTF-8, and no control character among it. */
export const isReadable = (path: string): boolean => {
  const text = decode(path);
  return text !== undefined && !/\p{Cc}/u.test(text);
};

const malformedNames = (query: string): ReadonlySet<string> => {
  const broken = decode(query) === undefined ? query.split('&').filter((pair) => decode(pair) === undefined) : [];
  return new Set(new URLSearchParams(`&${broken.join('&')}`).keys());
};

/** Decodes a query once. (Koa's own `ctx.query` takes time that grows with the square of the number of parameters.) */
export const parseQuery = (query: string): Query => {
  const values = new Map<string, string[]>();
  // The leading `&` keeps URLSearchParams from dropping a `?` that belongs to the first name.
  for (const [name, value] of new URLSearchParams(query === '' ? '' : `&${query}`)) {
    const given = values.get(name);
    if (given === undefined) values.set(name, [value]);
    else given.push(value);
  }
  return {
    names: [...values.keys()],
    values: (name) => values.get(name) ?? [],
    malformed: malformedNames(query), // the form decides what that means
  };
};
