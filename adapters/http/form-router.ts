import Router from '@koa/router';
import type { ParameterizedContext } from 'koa';
import { openApiPath } from '../../src/domain/path-template.ts';
import { Problem } from '../../src/domain/problem.ts';
import type { Form, PathParameters, Route } from '../forms/form.ts';
import { nearestWord } from '../forms/nearest-word.ts';

/** A route, and the parameters that the path has for it. */
interface RoutedPath {
  readonly route: Route;
  readonly path: PathParameters;
}

/** Members of a Koa context: what the router found. */
export interface RequestState {
  routed?: RoutedPath;
}

export type ServedContext = ParameterizedContext<RequestState>;

/**
 * The Koa router of a form, which notes the route of a path. Routes match all methods: the pipeline
 * itself answers 405. Paths are case-sensitive and take no trailing slash (decisions, "Order of
 * checks").
 */
const createRouter = ({ routes }: Form) => {
  const router = new Router<RequestState>({ sensitive: true, strict: true });
  for (const route of routes) {
    router.all(route.path, ({ state, params }) => {
      state.routed = { route, path: params };
    });
  }
  return router.routes();
};

/** True if a path is that of a route; a parameter takes any segment that is not empty. */
const isAt = (path: string, route: Route): boolean => {
  const [segments, template] = [path.split('/'), route.path.split('/')];
  const fits = (part: string, given = ''): boolean =>
    part.startsWith(':') ? given !== '' : part === given;
  return (
    segments.length === template.length && template.every((part, at) => fits(part, segments[at]))
  );
};

/** The 404 of a path that a form does not have. Its message names another form, or a near path. */
const pathNotFound = (path: string, form: Form, forms: readonly Form[]): Problem => {
  const other = forms.find(({ routes }) => routes.some((route) => isAt(path, route)));
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

type RouterContext = Parameters<ReturnType<typeof createRouter>>[0];

const noNext = async (): Promise<void> => {};

/**
 * Creates the function that finds the route of a path in a form. It raises `not-found` when there
 * is none.
 */
export const createRouteFinder = (forms: readonly Form[]) => {
  const routers = new Map(forms.map((form) => [form, createRouter(form)]));
  return async (ctx: ServedContext, form: Form, path: string): Promise<RoutedPath> => {
    if (!path.startsWith('/')) throw pathNotFound(path, form, forms);
    // The router has Koa parse the target, which throws for some authorities, and for others prints
    // the whole target to standard error.
    ctx.url = path;
    // Cast: the router adds the other members of its context itself.
    const context = ctx as unknown as RouterContext;
    context.newRouterPath = path; // Koa's own path ends at a `#`
    await routers.get(form)?.(context, noNext);
    if (ctx.state.routed === undefined) throw pathNotFound(path, form, forms);
    return ctx.state.routed;
  };
};
