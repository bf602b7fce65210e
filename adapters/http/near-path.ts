import { openApiPath } from '../../src/domain/path-template.ts';
import { Problem } from '../../src/domain/problem.ts';
import type { Form, Route } from '../forms/form.ts';
import { nearestWord } from '../forms/nearest-word.ts';
import { contractPath } from '../openapi/document.ts';

/** Paths with more segments are not compared. */
const maxSegments = 6;

const segmentsOf = (path: string): readonly string[] =>
  path.split('/', maxSegments + 1).filter((part) => part !== '');

/**
 * The segments of a path after its prefix, which a client may have written as `/api`, `/rest/v2` or
 * not at all.
 */
const resourceOf = (path: string): readonly string[] => {
  const segments = segmentsOf(path);
  const start = segments.findIndex((segment) => !/^(?:api|rest|v\d+)$/i.test(segment));
  return start === -1 ? [] : segments.slice(start);
};

const firstOf = ({ path }: Route): string => resourceOf(path)[0] ?? '';

/**
 * The route that a path probably means: its first segment is near, and an id follows or does not.
 */
const nearestRoute = (routes: readonly Route[], path: string): Route | undefined => {
  const [resource = '', ...rest] = resourceOf(path);
  const meant = nearestWord(resource, routes.map(firstOf));
  const candidates = routes.filter((route) => meant !== undefined && firstOf(route) === meant);
  const length = 1 + Math.min(rest.length, 1);
  return candidates.find((route) => resourceOf(route.path).length === length) ?? candidates[0];
};

/** Whether a path is that of a route; a parameter takes any segment that is not empty. */
const isAt = (path: string, route: Route): boolean => {
  const [asked, template] = [path.split('/', maxSegments + 1), route.path.split('/')];
  const fits = (part: string, given = ''): boolean =>
    part.startsWith(':') ? given !== '' : part === given;
  return asked.length === template.length && template.every((part, at) => fits(part, asked[at]));
};

/**
 * What clients ask for the reference and for the contract by; the first word is that of its own
 * path.
 */
const referenceNames = ['docs', 'doc', 'documentation', 'reference', 'redoc', 'help'];
const contractNames = ['openapi', 'swagger', 'api-docs', 'spec', 'schema'];

/**
 * The page of the reference that a path probably means. A path that ends at the prefix of the
 * routes means the list of them.
 */
const nearestPage = (path: string, form: Form, forms: readonly Form[]): string | undefined => {
  const [first = '', second = ''] = resourceOf(path);
  const [name = ''] = first.split('.');
  const meant = nearestWord(name, [...referenceNames, ...contractNames]) ?? '';
  if (contractNames.includes(meant) || contractNames.includes(second.split('.')[0] ?? ''))
    return contractPath(form, forms);
  return referenceNames.includes(meant) || (first === '' && segmentsOf(path).length > 0)
    ? '/docs'
    : undefined;
};

/**
 * The 404 of a path that a form does not have. Its message names the form that has the path, or the
 * path that was probably meant; of the client's own text it repeats nothing.
 */
export const pathNotFound = (path: string, form: Form, forms: readonly Form[]): Problem => {
  const other = forms.find(({ routes }) => routes.some((route) => isAt(path, route)));
  if (other !== undefined) {
    const instead = form.counterparts?.get(path);
    const advice = instead === undefined ? '.' : `: ask ${instead}.`;
    const served = `this request is served the ${form.name} form${advice}`;
    return new Problem('not-found', `Only the ${other.name} form has this path; ${served}`);
  }
  const route = nearestRoute(form.routes, path);
  const near = route === undefined ? nearestPage(path, form, forms) : openApiPath(route.path);
  const meant = near === undefined ? '' : ` Did you mean ${near}?`;
  return new Problem('not-found', `There is nothing at this path.${meant}`);
};
