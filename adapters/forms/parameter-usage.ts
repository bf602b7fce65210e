import { z } from 'zod';
import type { ParameterRepair } from '../../src/domain/usage.ts';
import type { Form, Query, Route } from './form.ts';
import type { ParameterUsage } from './form-contract.ts';

/**
 * Lists a request's uses of parameters, as `UsageCount.uses` names them: each once, never a
 * client's own text.
 */
export type ParameterUses = (
  route: Route,
  query: Query,
  adjusted: readonly ParameterRepair[],
) => readonly string[];

type UseOf = (value: string) => string;

const usageOf = ({ contract }: Route, name: string): ParameterUsage | undefined => {
  const schema = contract.query?.shape[name];
  return schema && z.globalRegistry.get(schema)?.usage;
};

/**
 * Names the use of a value: `fields=basic`, `limit>100`, or only `limit`. A maximum is the smallest
 * that a form with this route declares.
 */
const useOf = (routes: readonly Route[], route: Route, name: string): UseOf => {
  const usage = usageOf(route, name);
  if (typeof usage === 'number') {
    const sameRoutes = routes.filter(({ path }) => path === route.path);
    const maxima = sameRoutes
      .map((one) => usageOf(one, name))
      .filter((max) => typeof max === 'number');
    const max = Math.min(...maxima);
    return (value) => (/^[0-9]+$/.test(value) && Number(value) > max ? `${name}>${max}` : name);
  }
  const values = usage === 'boolean' ? ['true', 'false'] : (usage ?? []);
  return (value) => {
    const known = usage === 'boolean' ? value.toLowerCase() : value;
    return values.includes(known) ? `${name}=${known}` : name;
  };
};

/**
 * Names uses after what the forms declare beside their parameters, so their number is bounded. A
 * given parameter has exactly one use, by its first value, beside that of a repair.
 */
export const createParameterUses = (forms: readonly Pick<Form, 'routes'>[]): ParameterUses => {
  const routes = forms.flatMap((form) => form.routes);
  const usesIn = (route: Route): Map<string, UseOf> =>
    new Map(
      Object.keys(route.contract.query?.shape ?? {}).map((name) => [
        name,
        useOf(routes, route, name),
      ]),
    );
  const usesByRoute = new Map(routes.map((route) => [route, usesIn(route)]));

  return (route, query, adjusted) => {
    const declared = usesByRoute.get(route);
    const uses = new Set<string>();
    for (const name of query.names)
      uses.add(declared?.get(name)?.(query.values(name)[0] ?? '') ?? 'unknown');
    for (const { parameter, used } of adjusted) {
      if (used === 'none') uses.add(`${parameter} none`);
      else if (declared?.has(parameter)) uses.add(`${parameter} adjusted`);
    }
    return [...uses];
  };
};
