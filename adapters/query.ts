import type { Query } from './form.ts';

/** A request target in its two parts, still encoded. */
export interface Target {
  readonly path: string;
  readonly query: string;
}

const authority = /^https?:\/\/[^/?]*/i;

/** Splits a request target at its first `?`. The authority of an absolute target (RFC 9112, 3.2.2) is dropped. */
export const splitTarget = (target: string): Target => {
  const relative = target.startsWith('/') ? target : target.replace(authority, '');
  const mark = relative.indexOf('?');
  return mark === -1
    ? { path: relative, query: '' }
    : { path: relative.slice(0, mark), query: relative.slice(mark + 1) };
};

const isUtf8 = (query: string): boolean => {
  try {
    decodeURIComponent(query);
    return true;
  } catch {
    return false; // a percent escape that is cut short or is not UTF-8: the form decides what that means
  }
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
    malformed: !isUtf8(query),
  };
};
