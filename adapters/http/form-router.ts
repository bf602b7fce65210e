import Router from '@koa/router';
import type { ParameterizedContext } from 'koa';
import type { Form, PathParameters, Route } from '../forms/form.ts';
import { pathNotFound } from './near-path.ts';

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
