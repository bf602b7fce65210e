import { z } from 'zod';
import type { ParameterRepair } from '../../src/domain/usage.ts';
import type { Form, Query, Route } from './form.ts';

/** Lists a request's uses of parameters, as `UsageCount.uses` names them: each once, never a client's own text. */
export type ParameterUses = (route: Route, query: Query, adjusted: readonly ParameterRepair[]) => readonly string[];

/** The uses of one parameter: `given` names the use of a value, `adjusted` that of a repaired one. */
interface ParameterNames {
  readonly given: (value: string) => string;
  readonly adjusted: string;
}

/** The schema of a parameter's value, without its optional, default and text-parsing wrappers. */
const valueSchema = (schema: z.core.$ZodType): z.core.$ZodType => {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return valueSchema(schema.unwrap());
  return schema instanceof z.ZodPipe ? valueSchema(schema.out) : schema;
};

const maximumOf = (schema: z.core.$ZodType): number | undefined => {
  const inner = valueSchema(schema);
  const maximum = inner instanceof z.ZodNumber ? inner.maxValue : null;
  return maximum === null || maximum >= Number.MAX_SAFE_INTEGER ? undefined : maximum;
};

/** Names a value of a closed list (`fields=basic`); for any other text only the parameter (`fields`). */
const namesOfClosedList = (name: string, values: readonly unknown[]): ((value: string) => string) => {
  const uses = new Map(values.map((value) => [String(value), `${name}=${value}`]));
  return (value) => uses.get(value) ?? name;
};

/** Names the use of a value; a number above `ceiling` as `limit>100`. */
const namesOfGiven = (name: string, schema: z.core.$ZodType, ceiling: number | undefined): ParameterNames['given'] => {
  const inner = valueSchema(schema);
  if (inner instanceof z.ZodEnum) return namesOfClosedList(name, inner.options);
  if (inner instanceof z.ZodBoolean) {
    const nameOf = namesOfClosedList(name, [true, false]);
    return (value) => nameOf(value.toLowerCase());
  }
  if (ceiling === undefined) return () => name;
  const above = `${name}>${ceiling}`;
  return (value) => (/^[0-9]+$/.test(value) && Number(value) > ceiling ? above : name);
};

const declaredBy = ({ contract }: Route): [string, z.core.$ZodType][] => Object.entries(contract.query?.shape ?? {});

/** The largest number that every form with this route accepts, by route and parameter. */
const ceilingsOf = (routes: readonly Route[]): Map<string, number> => {
  const ceilings = new Map<string, number>();
  for (const route of routes) {
    for (const [name, schema] of declaredBy(route)) {
      const parameter = `${route.path} ${name}`;
      const maximum = maximumOf(schema);
      if (maximum !== undefined) ceilings.set(parameter, Math.min(maximum, ceilings.get(parameter) ?? maximum));
    }
  }
  return ceilings;
};

/**
 * Names uses after the parameters that the forms declare, so their number is bounded. A given parameter has exactly one use, by
 * its first value, beside that of a repair.
 */
export const createParameterUses = (forms: readonly Pick<Form, 'routes'>[]): ParameterUses => {
  const routes = forms.flatMap((form) => form.routes);
  const ceilings = ceilingsOf(routes);
  const namesIn = (route: Route): Map<string, ParameterNames> =>
    new Map(
      declaredBy(route).map(([name, schema]) => {
        const given = namesOfGiven(name, schema, ceilings.get(`${route.path} ${name}`));
        return [name, { given, adjusted: `${name} adjusted` }];
      }),
    );
  const namesByRoute = new Map(routes.map((route) => [route, namesIn(route)]));

  return (route, query, adjusted) => {
    const names = namesByRoute.get(route);
    const uses = new Set<string>();
    for (const name of query.names) uses.add(names?.get(name)?.given(query.values(name)[0] ?? '') ?? 'unknown');
    for (const { parameter, used } of adjusted) {
      const known = names?.get(parameter);
      if (used === 'none') uses.add(`${parameter} none`);
      else if (known !== undefined) uses.add(known.adjusted);
    }
    return [...uses];
  };
};
