import Router from '@koa/router';
import { openApiPath } from '../../src/domain/path-template.ts';
import { Problem } from '../../src/domain/problem.ts';
import type { Form, PathParameters, Route } from '../forms/form.ts';
import { nearestWord } from '../forms/nearest-word.ts';

interface RoutedPath {
  readonly route: Route;
  readonly path: PathParameters;
}

/**
 * Creates the router of a form. It only matches paths, for all methods; the pipeline sends 405.
 * Paths are case-sensitive and have no trailing slash (decisions, "Order of checks").
 */
const createRouter = ({ routes }: Form): Router => {
  const router = new Router({ sensitive: true, strict: true });
  for (const { path } of routes) router.all(path, () => {});
  return router;
};

/**
 * The 404 for a path that a form does not have. Its message names the other form that has the path,
 * or a similar path.
 */
const pathNotFound = (path: string, form: Form, other: Form | undefined): Problem => {
  if (other !== undefined) {
    const instead = form.counterparts?.get(path);
    const advice = instead === undefined ? '.' : `: ask ${instead}.`;
    const served = `this request is served the ${form.name} form${advice}`;
    return new Problem('not-found', `Only the ${other.name} form has this path; ${served}`);
  }
  const near = nearestWord(path, ['/docs', ...form.routes.map((route) => openApiPath(route.path))]);
  const meant = near === undefined ? '' : ` Did you mean ${near}?`;
  return new Problem('not-found', `There is nothing at this path.${meant}`);
};

/** Creates the function that finds the route for a path. It raises `not-found` if there is none. */
export const createRouteFinder = (forms: readonly Form[]) => {
  const routers = new Map(forms.map((form) => [form, createRouter(form)]));
  const layerAt = (form: Form, path: string) => routers.get(form)?.match(path, 'GET').path[0];
  return (form: Form, path: string): RoutedPath => {
    const layer = layerAt(form, path);
    const route = form.routes.find((one) => one.path === layer?.path);
    if (layer === undefined || route === undefined) {
      const other = forms.find((one) => layerAt(one, path) !== undefined);
      throw pathNotFound(path, form, other);
    }
    return { route, path: layer.params(path, layer.captures(path)) };
  };
};
