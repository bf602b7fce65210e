import { z } from 'zod';
import type { AdjustedParameter } from '../../src/domain/usage.ts';
import type { Form, QueryString, Route } from './form.ts';
import type { ParameterUsage } from './form-contract.ts';

/**
 * Lists a request's uses of parameters, as `UsageCount.uses` names them: no repetitions, never a
 * client's own text.
 */
export type ParameterUses = (
  route: Route,
  query: QueryString,
  adjusted: readonly AdjustedParameter[],
) => readonly string[];

type UseOf = (value: string) => string;

/** Returns the text if it is in the closed list; a boolean in lower case. */
const closedValue = (usage: ParameterUsage | undefined, text: string): string | undefined => {
  if (usage === 'boolean') return ['true', 'false'].find((one) => one === text.toLowerCase());
  return Array.isArray(usage) && usage.includes(text) ? text : undefined;
};

const usageOf = ({ contract }: Route, name: string): ParameterUsage | undefined => {
  const schema = contract.query?.shape[name];
  return schema && z.globalRegistry.get(schema)?.usage;
};

/**
 * Names the use of a value: `fields=basic`, `limit>100`, or only `limit`. The maximum is the
 * smallest of all forms with this route.
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
  return (value) => {
    const known = closedValue(usage, value);
    return known === undefined ? name : `${name}=${known}`;
  };
};

/** The largest number in a call's name; a larger number becomes `>9999`. */
const maxNamedNumber = 9999;

/**
 * Names a value in a call: numbers, closed-list values and empty values unchanged, everything else
 * as `*`, so that no text of a client is stored.
 */
const valueIn = (route: Route, name: string, value: string): string => {
  const usage = usageOf(route, name);
  const isNumber = typeof usage === 'number' || usage === 'number';
  if (isNumber && /^[0-9]+$/.test(value))
    return Number(value) > maxNamedNumber ? `>${maxNamedNumber}` : String(Number(value));
  return value === '' ? '' : (closedValue(usage, value) ?? '*');
};

/**
 * Names a whole query as one use, its parameters in the form's order: `?new=14&limit=150`. A
 * repeated parameter appears twice, and all unknown parameters together are one `*`.
 */
const callOf = (route: Route, query: QueryString): string => {
  const declared = Object.keys(route.contract.query?.shape ?? {});
  const known = declared.flatMap((name) =>
    query
      .values(name)
      .slice(0, 2)
      .map((value) => `${name}=${valueIn(route, name, value)}`),
  );
  const hasUnknown = query.names.some((name) => !declared.includes(name));
  return `?${[...known, ...(hasUnknown ? ['*'] : [])].join('&')}`;
};

/**
 * Creates the function that names parameter uses by the forms' declarations, so that they contain
 * no text of a client. Each parameter has one use, by its first value, plus one if it was adjusted.
 * A parsed query is also one use as a whole.
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
    return query.isTooLong ? [...uses] : [...uses, callOf(route, query)];
  };
};
