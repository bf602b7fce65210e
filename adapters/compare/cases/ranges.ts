import type { PathRow } from '../../../src/crosswalk/request-rows.ts';
import { parameterRows, pathRows } from '../../../src/crosswalk/requests-rows.ts';
import type { FormName } from '../../../src/domain/caller.ts';

const splitPath = (path: string): { readonly template: string; readonly query: URLSearchParams } => {
  const [template = '', query = ''] = path.split('?');
  return { template, query: new URLSearchParams(query) };
};

/** The whole number a request means by a parameter, with the default and the clamping of its form. */
const wholeNumber = (form: FormName, path: string, name: string): number | undefined => {
  const { template, query } = splitPath(path);
  const row = parameterRows.find((one) => one[form]?.path === template && one[form]?.name === name);
  const range = row?.[form]?.range;
  if (range === undefined) return undefined;
  const text = query.get(name) ?? '';
  const given = /^\d+$/.test(text) ? Number(text) : range.standard;
  return Math.min(Math.max(given, range.least), range.most);
};

/** How many items a list gives at most; without bound where it has no limit. */
export const limitOf = (form: FormName, path: string): number =>
  wholeNumber(form, path, 'limit') ?? Number.POSITIVE_INFINITY;

/** The comparison window that spikes are asked for. */
export const daysOf = (form: FormName, path: string): number | undefined => wholeNumber(form, path, 'days');

const matches = (template: string | undefined, path: string): boolean =>
  template !== undefined && new RegExp(`^${template.replace(/\{\w+\}/, '[^/]+')}$`).test(path);

/** The row of a path that a form has; `undefined` for a path it does not have. */
export const pathRowOf = (form: FormName, path: string): PathRow | undefined =>
  pathRows.find((row) => matches(row[form], splitPath(path).template));
